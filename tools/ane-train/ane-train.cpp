//===- ane-train.cpp - trains models --------------------------------------===//

#include "runtime/tools/train/ane_train.h"

int main(int argc, char **argv) { return ane::rt::tools::aneTrainProcess({argv + 1, argv + argc}); }
