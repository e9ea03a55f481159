//===- compile_model.h - ane-compile, for ane-train --------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_TRAIN_COMPILE_MODEL_H
#define ANE_RUNTIME_TOOLS_TRAIN_COMPILE_MODEL_H

#include "absl/status/status.h"
#include <string>
#include <vector>

namespace ane::rt::tools {

/// Whether a path is a bundle, and not a model that is to be compiled.
bool isBundle(const std::string &path);

/// Runs the ane-compile that lies beside this program, or is in PATH, with these arguments, on this process's streams.
/// NotFound if there is none; Cancelled when a signal has ended it; InvalidArgument when it has failed, and has said
/// why.
absl::Status runCompiler(const std::vector<std::string> &arguments);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_TRAIN_COMPILE_MODEL_H
