//===- weight_path.h - Files that a program names -------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_WEIGHT_PATH_H
#define ANE_RUNTIME_DEVICE_EMULATOR_WEIGHT_PATH_H

#include "absl/status/statusor.h"

#include <string>

namespace ane::rt::emulator {

/// The file that `path`, "@model_path/weights/w.bin", names below `modelDir`
/// (empty: the current folder), as an absolute path without symbolic links.
/// InvalidArgument for a path that leaves the folder, by ".." or by a link;
/// NotFound when there is no such file. The loader and the linter both ask here.
absl::StatusOr<std::string> weightPath(const std::string &path, const std::string &modelDir);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_WEIGHT_PATH_H
