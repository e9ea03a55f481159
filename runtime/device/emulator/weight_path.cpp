//===- weight_path.cpp - Files that a program names -----------------------===//

#include "runtime/device/emulator/weight_path.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include <cerrno>
#include <memory>
#include <stdlib.h>

namespace ane::rt::emulator {
namespace {

absl::StatusOr<std::string> realPath(const std::string &path) {
  std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  if (!real)
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  return std::string(real.get());
}

} // namespace

absl::StatusOr<std::string> weightPath(const std::string &path, const std::string &modelDir) {
  constexpr absl::string_view kPrefix = "@model_path/";
  if (!absl::StartsWith(path, kPrefix))
    return absl::InvalidArgumentError(absl::StrCat("weight file \"", path, "\" does not begin with ", kPrefix));
  // A NUL would end the name for the system, but not for messages.
  if (absl::StrContains(path, absl::string_view("\0", 1)))
    return absl::InvalidArgumentError("the name of a weight file contains a zero byte");
  absl::string_view rest = absl::StripPrefix(path, kPrefix);
  for (absl::string_view part : absl::StrSplit(rest, '/'))
    if (part == "..")
      return absl::InvalidArgumentError(absl::StrCat("weight file \"", path, "\" leaves the model directory"));
  absl::StatusOr<std::string> folder = realPath(modelDir.empty() ? "." : modelDir);
  if (!folder.ok())
    return folder.status();
  absl::StatusOr<std::string> file = realPath(absl::StrCat(*folder, "/", rest));
  if (file.ok() && !absl::StartsWith(*file, *folder == "/" ? *folder : absl::StrCat(*folder, "/")))
    return absl::InvalidArgumentError(
        absl::StrCat("weight file \"", path, "\" is a symbolic link that leaves the model directory, to ", *file));
  return file;
}

} // namespace ane::rt::emulator
