//===- weight_ranges.h - Parts of weight files ------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_WEIGHT_RANGES_H
#define ANE_RUNTIME_CORE_WEIGHT_RANGES_H

#include "runtime/device/device.h"
#include <map>
#include <string>
#include <vector>

namespace ane::rt {

/// Parts that grow together where they touch: however often weights are set, no more of them than the files have.
class WeightRanges {
public:
  void add(const WeightRange &range);
  void add(const WeightRanges &other);
  bool empty() const { return endsOf.empty(); }
  /// As DeviceProgram::updateWeights wants them.
  std::vector<WeightRange> list() const;

private:
  std::map<std::string, std::map<int64_t, int64_t>> endsOf; ///< by path, and by where the part begins
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_WEIGHT_RANGES_H
