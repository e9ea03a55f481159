//===- ane_device.h - The Neural Engine as a device -------------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_ANE_ANE_DEVICE_H
#define ANE_RUNTIME_DEVICE_ANE_ANE_DEVICE_H

#include "runtime/device/ane/evaluation_path.h"
#include "runtime/device/device.h"

#include <memory>
#include <string>
#include <vector>

namespace ane::rt::engine {

/// The Neural Engine: a device with several paths of evaluation.
class AneDevice : public Device {
public:
  /// The path of evaluations from now on, at first the standard one. Where it fails, evaluations are standard ones
  /// again, and Completion::note says so. Unimplemented where the system lacks it.
  virtual absl::Status take(EvaluationPath path) = 0;
  virtual EvaluationPath taken() const = 0;
  /// Hands a request over as a chain of one link. A status that is ok says that the system has taken it; whether it
  /// runs, nobody has seen (ane-programming.md 1.6).
  virtual absl::Status chain(DeviceProgram &program, const Request &request) = 0;
};

/// The engine of this machine, through the private framework that its system has. `libraries` replaces the system's.
/// Unimplemented where there is none.
absl::StatusOr<std::unique_ptr<AneDevice>> makeAneDevice(const std::vector<std::string> &libraries = {});

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_ANE_DEVICE_H
