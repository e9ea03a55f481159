//===- trust.cpp - Whose native code is run -------------------------------===//
#include "runtime/device/cpu/trust.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/support/quote.h"

namespace ane::rt {

absl::StatusOr<Trust> trustFrom(const std::string &name) {
  if (name == "owner")
    return Trust::Owner;
  if (name == "anyone")
    return Trust::Anyone;
  if (name == "nobody")
    return Trust::Nobody;
  return absl::InvalidArgumentError(absl::StrCat("is ", quote(name), ", expected owner, anyone or nobody"));
}

absl::Status checkOwner(const struct stat &file, uid_t user, const std::string &path) {
  std::string wrong;
  if (user != 0 && file.st_uid != user && file.st_uid != 0)
    wrong = absl::StrCat("belongs to user ", file.st_uid, ", and this process is of user ", user);
  else if (file.st_mode & S_IWOTH)
    wrong = absl::StrFormat("can be written by every user (its mode is %04o)", file.st_mode & 07777);
  if (wrong.empty())
    return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": ", wrong,
                   ", so that its native code may be anybody's; remedy: chown and chmod o-w, or trust "
                   "anyone (--trust=anyone, ANE_TRUST_ANYONE) if you know where the bundle is from"));
}

} // namespace ane::rt
