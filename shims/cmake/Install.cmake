# Installs the shims as component `shims` of the package aoti_cts: headers, the reference under each prefix, and
# aoti_cts_add_shim_library() for runtimes of other projects. Proved by tests/consumer.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/aoti_cts")
set_target_properties(aoti_cts_abi PROPERTIES EXPORT_NAME abi)
install(TARGETS aoti_cts_abi EXPORT aoti_cts_targets)
foreach(name IN LISTS AOTI_CTS_REFERENCE_NAMES)
  aoti_cts_install_shim_library(${name} EXPORT aoti_cts_targets COMPONENT shims)
endforeach()
install(DIRECTORY "${AOTI_CTS_SHIM_INCLUDE_DIR}/aoti_shim" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT shims)
install(EXPORT aoti_cts_targets NAMESPACE aoti_cts:: DESTINATION "${package_dir}" COMPONENT shims)

configure_package_config_file("${CMAKE_CURRENT_SOURCE_DIR}/cmake/aoti_cts-config.cmake.in"
  "${CMAKE_CURRENT_BINARY_DIR}/aoti_cts-config.cmake" INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/aoti_cts-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/aoti_cts-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/aoti_cts-config-version.cmake"
              cmake/AotiCtsShims.cmake cmake/CheckExports.cmake
        DESTINATION "${package_dir}" COMPONENT shims)
