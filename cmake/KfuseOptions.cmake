# Compiler flags and small options shared by the compiler and the runtime.

set(KFUSE_PYTHON "" CACHE FILEPATH "Python interpreter that has torch")
set(KFUSE_PTXAS "" CACHE FILEPATH "ptxas 13.3 or newer, for tests that assemble PTX")
set(KFUSE_LIBDEVICE "" CACHE FILEPATH "The pinned libdevice.10.bc, for tests and to be installed")

find_program(KFUSE_CCACHE ccache)
if(KFUSE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this sloppiness ccache refuses everything that uses the
  # precompiled header; the base directory lets another clone hit the cache.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 ${KFUSE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # A precompiled header without the time stamps of its parts is the same
  # file each time, so what uses it can be cached.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# lld links the compiler tools about five times faster than bfd.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  find_program(KFUSE_LLD NAMES ld.lld-22 ld.lld)
  if(KFUSE_LLD)
    add_link_options(--ld-path=${KFUSE_LLD})
  endif()
endif()

add_compile_options(-Wall -Wextra -Werror -Wno-unused-parameter)
if(KFUSE_ENABLE_ASSERTS)
  add_compile_options(-UNDEBUG)
endif()
if(KFUSE_SANITIZE)
  add_compile_options(-fsanitize=${KFUSE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KFUSE_SANITIZE})
endif()

# Installed tools and libraries find each other relative to themselves.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" "$ORIGIN")
