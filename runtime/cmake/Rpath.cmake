# Executables and libraries find libraries beside them first, in the build as where they are installed, so that the folder of
# either may be moved. RPATH, unlike RUNPATH, is inherited by what is loaded.
include(GNUInstallDirs)
file(RELATIVE_PATH ane_bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
if(APPLE)
  set(ane_origin "@loader_path")
else()
  set(ane_origin "$ORIGIN")
  add_link_options(-Wl,--disable-new-dtags)
endif()
set(CMAKE_BUILD_RPATH "${ane_origin}/../lib")
set(CMAKE_INSTALL_RPATH "${ane_origin}/${ane_bin_to_lib};${ane_origin}")
