# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# Installs headers, targets and the package files, for find_package(adamant [COMPONENTS yaml]).
include(CMakePackageConfigHelpers)

set(adamant_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/adamant)
install(DIRECTORY include/adamant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inc")
install(TARGETS adamant EXPORT adamant_targets)
install(EXPORT adamant_targets NAMESPACE adamant:: DESTINATION ${adamant_package_dir})
foreach(component IN LISTS ADAMANT_COMPONENTS)
  install(TARGETS adamant_${component} EXPORT adamant_${component}_targets)
  install(EXPORT adamant_${component}_targets NAMESPACE adamant:: DESTINATION ${adamant_package_dir})
endforeach()
configure_package_config_file(cmake/adamant-config.cmake.in ${PROJECT_BINARY_DIR}/adamant-config.cmake
  INSTALL_DESTINATION ${adamant_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/adamant-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/adamant-config.cmake ${PROJECT_BINARY_DIR}/adamant-config-version.cmake
              cmake/adamant_cuda_standard.cmake cmake/FindNCCL.cmake DESTINATION ${adamant_package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
