# Toolchain: builds for Macs with an M chip, macOS 14 and later, on Linux. scripts/package_macos.sh makes what it names:
#
#   ANE_MACOS_SYSROOT  a folder with zig (the compiler, a symbolic link), lib (libSystem.tbd, and zig's libc++ for that system)
#                      and, as they get built, the libraries that the runtime needs
#
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ANE_MACOS_SYSROOT)
set(CMAKE_USER_MAKE_RULES_OVERRIDE_C ${CMAKE_CURRENT_LIST_DIR}/link.cmake)
set(CMAKE_USER_MAKE_RULES_OVERRIDE_CXX ${CMAKE_CURRENT_LIST_DIR}/link.cmake)

set(CMAKE_C_COMPILER ${ANE_MACOS_SYSROOT}/zig cc)
set(CMAKE_CXX_COMPILER ${ANE_MACOS_SYSROOT}/zig c++)
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET aarch64-macos.14.0)
endforeach()
# zig checks code without -O for undefined behaviour unless it is told not to. No folder of this machine gets into a binary.
set(flags -fno-sanitize=all)
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR}/../.. REALPATH)
get_filename_component(zig ${ANE_MACOS_SYSROOT}/zig REALPATH)
get_filename_component(zig ${zig} DIRECTORY)
get_filename_component(work ${ANE_MACOS_SYSROOT} DIRECTORY) # sources of the libraries are beside it, in whatever folder
string(APPEND flags " -ffile-prefix-map=${source}/= -ffile-prefix-map=${work}/= -ffile-prefix-map=${ANE_MACOS_SYSROOT}/= -ffile-prefix-map=${zig}/=")
set(CMAKE_C_FLAGS_INIT ${flags})
set(CMAKE_CXX_FLAGS_INIT ${flags})

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
