//===- ane-run.cpp - runs bundles and MIL programs ------------------------===//

#include "runtime/tools/ane_run.h"
#include <iostream>

int main(int argc, char **argv) { return ane::rt::tools::aneRun({argv + 1, argv + argc}, std::cout, std::cerr); }
