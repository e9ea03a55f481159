# What `cmake --install` puts where. Components: Runtime (shared library, ane-run), Emulator, Development (headers, static
# library, files for CMake and pkg-config) and, of the whole tree, Compiler.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(ANE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Anemone)

install(DIRECTORY ${ANE_RUNTIME_INCLUDE_ROOT}/runtime/include/ane DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT Development)

# The prefix of anemone.pc, seen from the folder that holds it.
file(RELATIVE_PATH ane_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/anemone.pc.in anemone.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/anemone.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT Development)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/AnemoneConfig.cmake.in AnemoneConfig.cmake
                              INSTALL_DESTINATION ${ANE_PACKAGE_DIR})
write_basic_package_version_file(AnemoneConfigVersion.cmake VERSION ${ANE_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/AnemoneConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/AnemoneConfigVersion.cmake
        DESTINATION ${ANE_PACKAGE_DIR} COMPONENT Development)
