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
  # MLIR's dylib does not bring LLVM's along for symbols that we use ourselves.
  if(NOT KFUSE_STATIC_COMPILER)
    target_link_libraries(${name} PUBLIC LLVM)
  endif()
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

# add_kfuse_tool(name sources... [LINK_LIBS ...] [MLIR_LIBS ...])
# A compiler tool. In the static build it is not installed by itself: it becomes
# a part of the one binary `kfuse`.
function(add_kfuse_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS" ${ARGN})
  if(KFUSE_STATIC_COMPILER)
    list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    set_property(GLOBAL APPEND PROPERTY KFUSE_TOOLS ${name})
    foreach(list UNPARSED_ARGUMENTS LINK_LIBS MLIR_LIBS)
      set_property(GLOBAL PROPERTY KFUSE_TOOL_${name}_${list} ${ARG_${list}})
    endforeach()
    return()
  endif()
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  kfuse_tool_target(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
endfunction()

# What all compiler executables share.
function(kfuse_tool_flags name)
  kfuse_compiler_target(${name})
  # -fPIC instead of -fPIE: the precompiled header is shared with the libraries.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  target_compile_options(${name} PRIVATE -fPIC)
endfunction()

function(kfuse_tool_target name)
  kfuse_tool_flags(${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
endfunction()

# The binary `kfuse` of the static build, with a symbolic link for each tool.
# Called when all tools are known.
function(add_kfuse_multicall)
  get_property(tools GLOBAL PROPERTY KFUSE_TOOLS)
  add_executable(kfuse kfuse/kfuse.cpp)
  kfuse_tool_target(kfuse)
  # Unused code is most of LLVM. LLVMSupport names z3, which nothing here uses.
  target_link_options(kfuse PRIVATE -Wl,--gc-sections -Wl,--as-needed -Wl,-O2 -static-libstdc++ -static-libgcc)
  set(table "// Written by CMake.\n")
  foreach(tool IN LISTS tools)
    foreach(list UNPARSED_ARGUMENTS LINK_LIBS MLIR_LIBS)
      get_property(${list} GLOBAL PROPERTY KFUSE_TOOL_${tool}_${list})
    endforeach()
    string(REPLACE "-" "_" function "${tool}_main")
    string(REPLACE "kfuse-" "" short "${tool}")
    string(APPEND table "KFUSE_TOOL(\"${short}\", ${function})\n")
    add_library(${tool}_objects OBJECT ${UNPARSED_ARGUMENTS})
    kfuse_compiler_target(${tool}_objects)
    target_link_libraries(${tool}_objects PRIVATE ${LINK_LIBS})
    mlir_target_link_libraries(${tool}_objects PRIVATE ${MLIR_LIBS})
    # Each tool's main gets a name of its own.
    target_compile_definitions(${tool}_objects PRIVATE main=${function})
    target_link_libraries(kfuse PRIVATE ${tool}_objects ${LINK_LIBS})
    mlir_target_link_libraries(kfuse PRIVATE ${MLIR_LIBS})
    install(CODE "file(CREATE_LINK kfuse \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${tool}\" SYMBOLIC)"
      COMPONENT compiler)
  endforeach()
  string(APPEND table "#undef KFUSE_TOOL\n")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/tools/KfuseTools.def" CONTENT "${table}")
  target_include_directories(kfuse PRIVATE "${PROJECT_BINARY_DIR}/tools")
endfunction()
