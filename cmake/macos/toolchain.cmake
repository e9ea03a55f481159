# Toolchain: builds for Macs with an M chip, macOS 14 and later, on Linux, with Debian's clang and lld, which signs ad hoc.
# scripts/package_macos.sh makes what it names:
#
#   ANE_MACOS_SYSROOT  a folder with usr (as in an SDK: headers, libSystem.tbd, libc++) and, as they get built, the libraries that
#                      the runtime needs
#
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_VERSION 23.0.0) # of macOS 14
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(CMAKE_USER_MAKE_RULES_OVERRIDE ${CMAKE_CURRENT_LIST_DIR}/rpath.cmake)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ANE_MACOS_SYSROOT)

set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
# No folder of this machine gets into a binary: sources of the libraries are beside the sysroot, in whatever folder.
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR}/../.. REALPATH)
get_filename_component(work ${ANE_MACOS_SYSROOT} DIRECTORY)
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET arm64-apple-macos14.0)
  set(CMAKE_${language}_FLAGS_INIT "-ffile-prefix-map=${source}/= -ffile-prefix-map=${work}/=")
endforeach()
set(CMAKE_OSX_SYSROOT ${ANE_MACOS_SYSROOT} CACHE PATH "")
foreach(kind EXE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-fuse-ld=lld -Wl,-dead_strip -Wl,-S -Wl,-x")
endforeach()

set(CMAKE_AR llvm-ar-19 CACHE FILEPATH "")
set(CMAKE_RANLIB llvm-ranlib-19 CACHE FILEPATH "")
set(CMAKE_INSTALL_NAME_TOOL llvm-install-name-tool-19 CACHE FILEPATH "")
# Installed as it was linked: a change would break the signature.
set(CMAKE_STRIP "" CACHE FILEPATH "")
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_SKIP_INSTALL_RPATH OFF)

set(CMAKE_FIND_ROOT_PATH ${ANE_MACOS_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${ANE_MACOS_SYSROOT}/lib/pkgconfig)
