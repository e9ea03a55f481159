//===- ane-mil-diff.cpp - compares MIL programs ---------------------------===//

#include "runtime/tools/diff/mil_diff.h"

int main(int argc, char **argv) { return ane::rt::tools::aneMilDiffProcess({argv + 1, argv + argc}); }
