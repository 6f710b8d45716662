# Compiler flags and small options shared by the compiler and the runtime.

find_program(KFUSE_CCACHE ccache)
if(KFUSE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${KFUSE_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${KFUSE_CCACHE}")
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
