# Replaces CMake's rules for Darwin. lld links, and signs ad hoc: zig's own linker exports the operators of libc++, whatever
# it is told.
set(ane_linker "clang-19 --target=arm64-apple-macos14.0 -fuse-ld=lld -nostdlib -Wl,-dead_strip -Wl,-S -Wl,-x <LINK_FLAGS>")
set(ane_lib ${ANE_MACOS_SYSROOT}/lib)
# First what the system has: zig's libcompiler_rt, too, has a memcpy() and an exp().
set(ane_system_C "${ane_lib}/libSystem.tbd ${ane_lib}/libcompiler_rt.a")
set(ane_system_CXX "${ane_lib}/libc++.a ${ane_lib}/libc++abi.a ${ane_system_C}")
foreach(language C CXX)
  # CMake takes the system for one before rpaths, as it knows no version of it.
  set(CMAKE_SHARED_LIBRARY_RUNTIME_${language}_FLAG "-Wl,-rpath,")
  set(inputs "-o <TARGET> <OBJECTS> <LINK_LIBRARIES> ${ane_system_${language}}")
  set(CMAKE_${language}_LINK_EXECUTABLE "${ane_linker} ${inputs}")
  set(CMAKE_${language}_CREATE_SHARED_LIBRARY
      "${ane_linker} -dynamiclib <SONAME_FLAG> <TARGET_INSTALLNAME_DIR><TARGET_SONAME> ${inputs}")
  set(CMAKE_${language}_CREATE_SHARED_MODULE "${ane_linker} -bundle ${inputs}")
endforeach()
