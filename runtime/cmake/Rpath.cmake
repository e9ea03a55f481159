# Executables and libraries find libraries beside them first, in the build as where they are installed, so that the folder of
# either may be moved. RPATH, unlike RUNPATH, is inherited by what is loaded.
include(GNUInstallDirs)
file(RELATIVE_PATH ane_bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set(CMAKE_BUILD_RPATH "$ORIGIN/../lib")
set(CMAKE_INSTALL_RPATH "$ORIGIN/${ane_bin_to_lib};$ORIGIN")
if(NOT APPLE)
  add_link_options(-Wl,--disable-new-dtags)
endif()
