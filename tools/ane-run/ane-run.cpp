//===- ane-run.cpp - runs bundles and MIL programs ------------------------===//

#include "runtime/tools/ane_run.h"

int main(int argc, char **argv) { return ane::rt::tools::aneRunProcess({argv + 1, argv + argc}); }
