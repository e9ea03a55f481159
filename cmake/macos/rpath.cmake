# CMake reads this after its rules for Darwin. They ask the machine that builds for its version of macOS. Linux has none, so that CMake
# assumes one too old for rpaths, and leaves this flag out.
foreach(language C CXX)
  set(CMAKE_SHARED_LIBRARY_RUNTIME_${language}_FLAG "-Wl,-rpath,")
endforeach()
