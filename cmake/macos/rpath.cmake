# After CMake's rules for Darwin, which ask this machine for its version of macOS and, as it has none, take it for one before rpaths.
foreach(language C CXX)
  set(CMAKE_SHARED_LIBRARY_RUNTIME_${language}_FLAG "-Wl,-rpath,")
endforeach()
