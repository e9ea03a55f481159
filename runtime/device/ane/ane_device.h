//===- ane_device.h - The Neural Engine as a device -------------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_ANE_ANE_DEVICE_H
#define ANE_RUNTIME_DEVICE_ANE_ANE_DEVICE_H

#include "runtime/device/device.h"

#include <memory>
#include <string>
#include <vector>

namespace ane::rt::engine {

/// The engine of this machine, through the private framework that its system has. `libraries` replaces the system's.
/// Unimplemented where there is none.
absl::StatusOr<std::unique_ptr<Device>> makeAneDevice(const std::vector<std::string> &libraries = {});

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_ANE_DEVICE_H
