//===- Compile.h - the compiler driver -------------------------*- C++ -*-===//
#ifndef ANE_TOOLS_COMPILE_H
#define ANE_TOOLS_COMPILE_H

namespace mlir::ane {
/// Body of ane-compile: parses the command line, compiles, and returns the exit code (0; 1 after an error; 2 if the
/// command line is wrong).
int compileMain(int argc, char **argv);
} // namespace mlir::ane

#endif // ANE_TOOLS_COMPILE_H
