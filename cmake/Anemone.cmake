# Helper functions of the build. A library's CMake file is a source list plus a link list.

# The headers every compiler file includes, precompiled once (1 s instead of 4 s a file).
set(ANE_PCH_HEADERS
  "ane/IR/ANE.h"
  "mlir/Pass/Pass.h"
  "mlir/Transforms/DialectConversion.h"
  "mlir/Transforms/GreedyPatternRewriteDriver.h")

# Adds the folders that exist, so that a part of the tree can be built.
function(ane_add_existing)
  foreach(dir ${ARGN})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/CMakeLists.txt)
      add_subdirectory(${dir})
    endif()
  endforeach()
endfunction()

# ane_library(NAME sources... [LINK targets...] [NO_PCH]): a static library of the compiler.
function(ane_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  target_compile_options(${name} PRIVATE -Wall -Wno-unused-function)
  add_dependencies(${name} ANEHeaders)
  ane_precompile(${name} ${ARG_NO_PCH})
endfunction()

# All libraries share one precompiled header, built by target ANEPCH.
function(ane_precompile name skip)
  if(skip)
    return()
  endif()
  if(NOT TARGET ANEPCH)
    file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp "// Carrier of the precompiled header.\n")
    add_library(ANEPCH OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
    target_compile_options(ANEPCH PRIVATE -Wall -Wno-unused-function)
    list(TRANSFORM ANE_PCH_HEADERS PREPEND "<" OUTPUT_VARIABLE headers)
    list(TRANSFORM headers APPEND ">")
    target_precompile_headers(ANEPCH PRIVATE ${headers})
    target_compile_options(ANEPCH PRIVATE -Xclang -fno-pch-timestamp)
    add_dependencies(ANEPCH ANEHeaders)
    set(pch ${CMAKE_BINARY_DIR}/lib/Support/CMakeFiles/ANEPCH.dir/cmake_pch.hxx.pch)
    add_custom_command(OUTPUT ${pch}.sum DEPENDS ${pch} VERBATIM
      COMMAND ${CMAKE_COMMAND} -DSUM=${pch}.sum -DSOURCE=${CMAKE_SOURCE_DIR} -DBINARY=${CMAKE_BINARY_DIR}
              -DLLVM_VERSION=${LLVM_PACKAGE_VERSION} "-DHEADERS=${ANE_PCH_HEADERS}" -P ${CMAKE_SOURCE_DIR}/cmake/PchSum.cmake)
    add_custom_target(ANEPCHSum DEPENDS ${pch}.sum)
    add_dependencies(ANEPCHSum ANEPCH)
  endif()
  # Not by REUSE_FROM: that names the header's absolute path in a way which keeps ccache from sharing objects between folders.
  set(pch ${CMAKE_BINARY_DIR}/lib/Support/CMakeFiles/ANEPCH.dir/cmake_pch.hxx.pch)
  add_dependencies(${name} ANEPCHSum)
  target_compile_options(${name} PRIVATE -Winvalid-pch -Xclang -fno-pch-timestamp "SHELL:-include-pch ${pch}")
  get_target_property(sources ${name} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${pch}.sum)
endfunction()

# ane_tool(NAME sources... LINK targets...): an executable in build/bin, which is installed.
function(ane_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  # First in the order in which the loader looks for symbols: nearly all of the 40,000 that it binds are theirs, and each is
  # looked for in every library before them (that took 8 of 40 ms of a start).
  target_link_options(${name} PRIVATE $<TARGET_FILE:LLVM> $<TARGET_FILE:MLIR>)
  add_dependencies(${name} ANEHeaders)
  # LLVM's libraries may be where the system does not look.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${name} RUNTIME COMPONENT Compiler)
endfunction()

# ane_tablegen(INPUT output generator...): output lands beside the input's path under build/include.
# Every generated header is a dependency of target ANEHeaders.
function(ane_tablegen input output)
  set(LLVM_TARGET_DEFINITIONS ${input})
  mlir_tablegen(${output} ${ARGN})
  # A custom command is visible in its own folder only, a target everywhere.
  string(REPLACE "." "_" target "generate_${output}")
  add_custom_target(${target} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${output})
  set_property(GLOBAL APPEND PROPERTY ANE_GENERATED ${target})
endfunction()

# ane_constraints(INPUT output generator): like ane_tablegen, with the project's own generator.
function(ane_constraints input output)
  set(LLVM_TARGET_DEFINITIONS ${input})
  tablegen(ANE ${output} ${ARGN})
  string(REPLACE "." "_" target "generate_${output}")
  add_custom_target(${target} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${output})
  set_property(GLOBAL APPEND PROPERTY ANE_GENERATED ${target})
endfunction()
