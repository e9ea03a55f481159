//===- ane-compile.cpp - model to bundle ----------------------------------===//

#include "ane/Tools/Compile.h"

int main(int argc, char **argv) { return mlir::ane::compileMain(argc, argv); }
