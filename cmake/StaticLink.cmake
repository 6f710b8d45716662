# Links MLIR and LLVM statically from a package that was built for its dylibs.
#
# Every static MLIR target of such a package names the dylib LLVM in its
# interface (a few also MLIR), so linking MLIRIR.a would still need
# libLLVM.so at run time, and would register everything twice. The targets are
# rewritten here, before anything links them: LLVM becomes the static
# components below, MLIR is dropped.

set(KFUSE_LLVM_COMPONENTS
  NVPTXCodeGen NVPTXDesc NVPTXInfo X86CodeGen X86AsmParser X86Desc X86Info
  core support passes analysis irreader linker bitreader bitwriter option
  remarks targetparser ipo target asmparser frontendopenmp)

llvm_map_components_to_libnames(KFUSE_STATIC_LLVM_LIBS ${KFUSE_LLVM_COMPONENTS})

get_property(imported DIRECTORY "${CMAKE_SOURCE_DIR}" PROPERTY IMPORTED_TARGETS)
foreach(target IN LISTS imported)
  if(NOT target MATCHES "^(MLIR|mlir_)")
    continue()
  endif()
  get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT libs)
    continue()
  endif()
  set(rewritten "")
  foreach(lib IN LISTS libs)
    if(lib MATCHES "^(\\$<LINK_ONLY:)?LLVM>?$")
      list(APPEND rewritten ${KFUSE_STATIC_LLVM_LIBS})
    elseif(NOT lib MATCHES "^(\\$<LINK_ONLY:)?MLIR>?$")
      list(APPEND rewritten "${lib}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${rewritten}")
endforeach()

# So that the linker can drop unused code of ours, too.
add_compile_options(-ffunction-sections -fdata-sections)
