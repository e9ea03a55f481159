//===- trust.h - Whose native code is run -----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_CPU_TRUST_H
#define ANE_RUNTIME_DEVICE_CPU_TRUST_H

#include "absl/status/statusor.h"
#include <cstdint>
#include <string>
#include <sys/stat.h>

namespace ane::rt {

/// Whose code a process loads. Code that comes with a bundle is like any program that somebody may start: who could
/// have written it decides, not what is in it.
enum class Trust : uint8_t {
  Owner,  ///< of the user of this process or the system's administrator, where nobody else can write
  Anyone, ///< the caller knows where it is from
  Nobody  ///< none is loaded
};

/// "owner", "anyone" or "nobody".
absl::StatusOr<Trust> trustFrom(const std::string &name);

/// FailedPrecondition, with the remedy, for a file that Trust::Owner does not cover. `user` is the one of the process:
/// what an administrator (0) starts may be anybody's, as with any other program.
absl::Status checkOwner(const struct stat &file, uid_t user, const std::string &path);

} // namespace ane::rt
#endif // ANE_RUNTIME_DEVICE_CPU_TRUST_H
