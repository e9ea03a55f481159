//===- energy.h - What a machine has used up --------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_ENERGY_H
#define ANE_RUNTIME_DEVICE_ENERGY_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ane::rt {

/// Of the whole machine, by parts of its chip ("ane", "cpu", "gpu", "dram"), in nanojoules. Those that it does not
/// measure are left out.
using Energy = std::vector<std::pair<std::string, int64_t>>;

class EnergyMeter {
public:
  virtual ~EnergyMeter() = default;
  /// Since the call before, or since the meter was made.
  virtual absl::StatusOr<Energy> read() = 0;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_DEVICE_ENERGY_H
