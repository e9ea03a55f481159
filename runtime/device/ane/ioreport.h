//===- ioreport.h - A Mac's energy counters ---------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_ANE_IOREPORT_H
#define ANE_RUNTIME_DEVICE_ANE_IOREPORT_H

#include "runtime/device/energy.h"

#include <memory>

namespace ane::rt::engine {

/// Of this machine. `libraries` replaces the system's. Unimplemented where this is no Mac, or it has no such counters.
absl::StatusOr<std::unique_ptr<EnergyMeter>> makeEnergyMeter(const std::vector<std::string> &libraries = {});

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_IOREPORT_H
