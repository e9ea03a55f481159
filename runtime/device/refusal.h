//===- refusal.h - Why a device does not run a program --------------------===//
#ifndef ANE_RUNTIME_DEVICE_REFUSAL_H
#define ANE_RUNTIME_DEVICE_REFUSAL_H

#include "absl/status/status.h"

#include <chrono>
#include <string>

namespace ane::rt {

/// Why a device does not run a program that is sound.
enum class Refusal : uint8_t {
  None,      ///< no refusal: all is well, or an error that the user must see
  Program,   ///< it never runs this program: Unimplemented
  Transient, ///< not in its present state: FailedPrecondition, Unavailable
  Resource,  ///< memory, or another bounded thing, is used up: ResourceExhausted
  Gone       ///< it has lost what was loaded, as when its service has ended: Aborted
};

/// A status of a device that refuses a program. The message names the program; `code` is what the device calls the
/// error, "" if it has no name for it; a second try is worth `wait`.
absl::Status refuse(Refusal kind, std::string message, std::string code = "",
                    std::chrono::milliseconds wait = std::chrono::milliseconds(0));

/// What a status of a device means (see Device): what refuse() was told or, of other statuses, what their code says.
/// InvalidArgument, NotFound, DataLoss and Cancelled are no refusals: a file is missing, damaged or wrong. A code that
/// nobody has heard of is one: the CPU can compute what the device did not.
Refusal refusalOf(const absl::Status &status);

/// "program", "transient", "resource" or "gone"; "none".
const char *nameOf(Refusal kind);

/// Whether a second try may help.
bool mayPass(Refusal kind);

/// How long to wait before a second try; 0 as a rule.
std::chrono::milliseconds waitOf(const absl::Status &status);

/// What the device calls the error.
std::string codeOf(const absl::Status &status);

/// The code of a surface that can't be mapped (Surface::map): its values are out of reach.
inline constexpr char kNoMapping[] = "no mapping";

} // namespace ane::rt
#endif // ANE_RUNTIME_DEVICE_REFUSAL_H
