//===- ane_train.h - ane-train ------------------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_TRAIN_ANE_TRAIN_H
#define ANE_RUNTIME_TOOLS_TRAIN_ANE_TRAIN_H

#include "runtime/tools/streams.h"
#include <string>
#include <vector>

namespace ane::rt::tools {

/// ane-train without its process: returns the exit code.
int aneTrain(const std::vector<std::string> &arguments, const Streams &streams);

/// ane-train with this process's streams and signals.
int aneTrainProcess(const std::vector<std::string> &arguments);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_TRAIN_ANE_TRAIN_H
