# Wrappers around LLVM's CMake helpers for kfuse's compiler libraries.

# The package's version file wants major.minor equal, so the version is
# checked by hand.
if(NOT MLIR_DIR AND EXISTS /usr/lib/llvm-22/lib/cmake/mlir)
  set(MLIR_DIR /usr/lib/llvm-22/lib/cmake/mlir)
endif()
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "kfuse needs LLVM/MLIR 22, found ${LLVM_VERSION} at "
    "${LLVM_DIR}; install libmlir-22-dev and set MLIR_DIR")
endif()

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
set(MLIR_LINK_MLIR_DYLIB ON)
if(KFUSE_STATIC_COMPILER)
  set(MLIR_LINK_MLIR_DYLIB OFF)
endif()
# Tool names resolve to the installed package, never to this build.
set(LLVM_EXTERNAL_LIT "${LLVM_TOOLS_BINARY_DIR}/lit")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
if(KFUSE_STATIC_COMPILER)
  include(StaticLink)
endif()

set(KFUSE_INCLUDE_DIRS "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")

# add_kfuse_library(name sources... [DEPENDS ...] [LINK_LIBS ...] [MLIR_LIBS ...])
# A static compiler library. LINK_LIBS are kfuse libraries, MLIR_LIBS are
# MLIR component libraries, which become the dylib unless
# KFUSE_STATIC_COMPILER is on.
function(add_kfuse_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  kfuse_compiler_target(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  mlir_target_link_libraries(${name} PUBLIC ${ARG_MLIR_LIBS})
  add_dependencies(${name} KfuseIncGen)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# Compile flags of code that sees LLVM headers.
function(kfuse_compiler_target name)
  target_include_directories(${name} PUBLIC ${KFUSE_INCLUDE_DIRS})
  target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  separate_arguments(defs NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_options(${name} PRIVATE -fno-exceptions)
  target_compile_definitions(${name} PRIVATE ${defs})
  if(TARGET kfuse_pch AND NOT name STREQUAL "kfuse_pch")
    target_precompile_headers(${name} REUSE_FROM kfuse_pch)
  endif()
endfunction()

# One precompiled header for all compiler code: parsing MLIR's headers is most
# of a compile otherwise.
file(WRITE "${PROJECT_BINARY_DIR}/kfuse_pch.cpp" "// Owner of the precompiled header.\n")
add_library(kfuse_pch STATIC "${PROJECT_BINARY_DIR}/kfuse_pch.cpp")
kfuse_compiler_target(kfuse_pch)
target_precompile_headers(kfuse_pch PRIVATE
  "<mlir/Dialect/Arith/IR/Arith.h>"
  "<mlir/Dialect/Func/IR/FuncOps.h>"
  "<mlir/Dialect/GPU/IR/GPUDialect.h>"
  "<mlir/Dialect/LLVMIR/LLVMDialect.h>"
  "<mlir/Dialect/Math/IR/Math.h>"
  "<mlir/Dialect/SCF/IR/SCF.h>"
  "<mlir/Dialect/Tensor/IR/Tensor.h>"
  "<mlir/Dialect/Vector/IR/VectorOps.h>"
  "<mlir/IR/Builders.h>"
  "<mlir/IR/BuiltinOps.h>"
  "<mlir/IR/PatternMatch.h>"
  "<mlir/Pass/Pass.h>")

# add_kfuse_tool(name sources... [LINK_LIBS ...])
function(add_kfuse_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  kfuse_compiler_target(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
  # -fPIC instead of -fPIE: the precompiled header is shared with the libraries.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  target_compile_options(${name} PRIVATE -fPIC)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
endfunction()
