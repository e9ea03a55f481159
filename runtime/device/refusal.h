//===- refusal.h - Why a device does not run a program --------------------===//
#ifndef ANE_RUNTIME_DEVICE_REFUSAL_H
#define ANE_RUNTIME_DEVICE_REFUSAL_H

#include "absl/status/status.h"

namespace ane::rt {

/// Why a device does not run a program that is sound.
enum class Refusal {
  None,      ///< no refusal: all is well, or an error that the user must see
  Program,   ///< it never runs this program: Unimplemented
  Transient, ///< not in its present state: FailedPrecondition, Unavailable
  Resource   ///< memory, or another bounded thing, is used up: ResourceExhausted
};

/// What a status of a device means (see Device). Those that are no refusal say that
/// a file is missing, damaged or wrong.
Refusal refusalOf(const absl::Status &status);

} // namespace ane::rt
#endif // ANE_RUNTIME_DEVICE_REFUSAL_H
