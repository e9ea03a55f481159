//===- machine.h - Which engine this machine has ----------------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_ANE_MACHINE_H
#define ANE_RUNTIME_DEVICE_ANE_MACHINE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace ane::rt::engine {

/// What a Mac says of itself. Texts that it does not give are empty.
struct Machine {
  std::string engine;             ///< what the engine calls itself: "h16g"
  std::string processor;          ///< "Apple M4"
  std::string model;              ///< "Mac16,10": of all machines of that kind
  std::string osVersion, osBuild; ///< "15.6", "24G84"

  /// "Apple M4, whose engine calls itself h16g".
  std::string str() const;
};

/// `libraries` replaces the system's. Unimplemented where this is no Mac.
absl::StatusOr<Machine> readMachine(const std::vector<std::string> &libraries = {});

/// "Apple M4, 24G84": by what a measurement of the machine is kept. Empty where it does not tell, or is no Mac.
std::string chipAndBuild(const std::vector<std::string> &libraries);

/// The compiler's targets that the machine may have, one as a rule: several share what engines call themselves, and the
/// processor tells which, where it has a record. NotFound if no record knows either.
absl::StatusOr<std::vector<std::string>> targetsOf(const Machine &machine);

/// Whether that is the target of the machine that asks: "native", or "native:FILE", where a library has what the
/// system has else.
bool isNative(const std::string &target);
/// The machine of such a target.
absl::StatusOr<Machine> nativeMachine(const std::string &target);
/// targetsOf() the machine for a native target; else just the target.
absl::StatusOr<std::vector<std::string>> namedTargets(const std::string &target);

/// FailedPrecondition unless a bundle for `chips` ("h13,h16") is for an engine with the capabilities of the machine's.
absl::Status checkTarget(const std::string &chips, const Machine &machine);

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_MACHINE_H
