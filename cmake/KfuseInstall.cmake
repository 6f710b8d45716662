# Install rules common to all components. A library that others may link puts
# itself into the export set kfuseTargets:
#   install(TARGETS kfuse_runtime EXPORT kfuseTargets ...)

include(CMakePackageConfigHelpers)
set(KFUSE_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/kfuse")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/kfuseConfig.cmake.in"
  "${CMAKE_CURRENT_BINARY_DIR}/kfuseConfig.cmake"
  INSTALL_DESTINATION "${KFUSE_CMAKE_DIR}")
write_basic_package_version_file(
  "${CMAKE_CURRENT_BINARY_DIR}/kfuseConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/kfuseConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/kfuseConfigVersion.cmake"
        DESTINATION "${KFUSE_CMAKE_DIR}" COMPONENT runtime)
if(TARGET kfuse_runtime)
  install(EXPORT kfuseTargets NAMESPACE kfuse:: DESTINATION "${KFUSE_CMAKE_DIR}" COMPONENT runtime)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/kfuse/Runtime"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/kfuse" COMPONENT runtime
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
endif()

# The compiler looks for it beside its own folder: ../share/kfuse.
if(KFUSE_LIBDEVICE)
  install(FILES "${KFUSE_LIBDEVICE}" DESTINATION "${CMAKE_INSTALL_DATADIR}/kfuse" COMPONENT compiler)
endif()

# An installed tree can be moved: everything finds its libraries relative to
# itself. (libkfuse_torch finds torch's in the process, or by LD_LIBRARY_PATH.)
if(KFUSE_STATIC_COMPILER AND TARGET kfuse_torch)
  set_target_properties(kfuse_torch PROPERTIES INSTALL_RPATH "\$ORIGIN")
endif()
