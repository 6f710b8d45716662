# Finds the torch wheel of a Python environment and makes the target
# kfuse::torch_wheel from its headers and libraries.
#
# torch's own CMake package is not used: it wants a CUDA toolkit and enables
# CMake's CUDA language. Inputs: KFUSE_TORCH_DIR (the wheel's `torch` folder) or
# KFUSE_PYTHON (an interpreter that can find torch). Sets KFUSE_TORCH_FOUND.

set(KFUSE_TORCH_DIR "" CACHE PATH "The torch folder of a wheel, holding include/ and lib/")
set(KFUSE_PYTHON "" CACHE FILEPATH "Python interpreter whose torch is used when KFUSE_TORCH_DIR is empty")

# Asks an interpreter where torch lies, without importing it.
function(kfuse_ask_python_for_torch python out)
  execute_process(
    COMMAND "${python}" -c
      "import importlib.util as u; print(list(u.find_spec('torch').submodule_search_locations)[0])"
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(${out} "${found}" PARENT_SCOPE)
  else()
    set(${out} "" PARENT_SCOPE)
  endif()
endfunction()

set(KFUSE_TORCH_FOUND OFF)
set(torch_dir "${KFUSE_TORCH_DIR}")
set(torch_asked_for OFF)
if(KFUSE_TORCH_DIR OR KFUSE_PYTHON)
  set(torch_asked_for ON)
endif()
if(NOT torch_dir)
  set(python "${KFUSE_PYTHON}")
  if(NOT python)
    find_program(KFUSE_PATH_PYTHON NAMES python3)
    mark_as_advanced(KFUSE_PATH_PYTHON)
    set(python "${KFUSE_PATH_PYTHON}")
  endif()
  if(python)
    kfuse_ask_python_for_torch("${python}" torch_dir)
  endif()
endif()

if(torch_dir AND EXISTS "${torch_dir}/include/ATen/core/dispatch/Dispatcher.h"
    AND EXISTS "${torch_dir}/lib/libtorch_cpu.so")
  set(KFUSE_TORCH_FOUND ON)
elseif(torch_asked_for)
  message(FATAL_ERROR "no usable torch: expected include/ATen/core/dispatch/Dispatcher.h and "
    "lib/libtorch_cpu.so under '${torch_dir}'; set KFUSE_TORCH_DIR to the torch folder of a "
    "wheel (2.11.0 is tested) or configure with -DKFUSE_ENABLE_TORCH=OFF")
endif()

if(KFUSE_TORCH_FOUND AND NOT TARGET kfuse::torch_wheel)
  set(KFUSE_TORCH_LIB_DIR "${torch_dir}/lib")
  add_library(kfuse::torch_wheel INTERFACE IMPORTED)
  target_include_directories(kfuse::torch_wheel SYSTEM INTERFACE
    "${torch_dir}/include" "${torch_dir}/include/torch/csrc/api/include")
  # libtorch.so holds no symbols of its own but pulls in the CUDA back end, so
  # the linker must not drop it.
  target_link_directories(kfuse::torch_wheel INTERFACE "${KFUSE_TORCH_LIB_DIR}")
  target_link_libraries(kfuse::torch_wheel INTERFACE
    -Wl,--no-as-needed torch torch_cpu c10 -Wl,--as-needed)
  target_link_options(kfuse::torch_wheel INTERFACE -Wl,--allow-shlib-undefined)
endif()

# Graph capture needs the types of the CUDA runtime. A CUDA wheel brings most of
# its headers along beside torch; those in crt/ are the package nvidia-cuda-crt.
# Nothing of it is linked but torch's own libc10_cuda.
set(KFUSE_TORCH_CUDA_INCLUDE_DIR "")
if(KFUSE_TORCH_FOUND AND EXISTS "${KFUSE_TORCH_LIB_DIR}/libc10_cuda.so")
  file(GLOB cuda_headers "${torch_dir}/../nvidia/*/include/cuda_runtime_api.h")
  if(cuda_headers)
    list(GET cuda_headers 0 cuda_header)
    get_filename_component(cuda_include_dir "${cuda_header}" DIRECTORY)
    if(EXISTS "${cuda_include_dir}/crt/host_config.h")
      set(KFUSE_TORCH_CUDA_INCLUDE_DIR "${cuda_include_dir}")
    else()
      message(WARNING "${cuda_include_dir} has no crt/host_config.h, so the ATen provider will not "
        "be able to take part in CUDA graphs; install nvidia-cuda-crt of the same version beside torch")
    endif()
  endif()
endif()
