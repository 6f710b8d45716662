# Install rules common to all components; each library installs its own
# targets into the export set kfuseTargets.

include(CMakePackageConfigHelpers)
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/kfuseConfig.cmake.in"
  "${CMAKE_CURRENT_BINARY_DIR}/kfuseConfig.cmake"
  INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/kfuse")
write_basic_package_version_file(
  "${CMAKE_CURRENT_BINARY_DIR}/kfuseConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/kfuseConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/kfuseConfigVersion.cmake"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/kfuse")
