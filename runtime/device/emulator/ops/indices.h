//===- indices.h - Checked indices of gather and scatter ------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OPS_INDICES_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OPS_INDICES_H

#include "runtime/device/emulator/op_args.h"

namespace ane::rt::emulator {

/// How one op reads its indices. Up to iOS16 negative ones count from the end;
/// from iOS17 they are out of bounds (coreml-mlprogram.md 3, indexing). What is
/// out of bounds is an error with validate_indices and undefined but memory
/// safe without; here a gather then gives 0 and a scatter does nothing.
struct IndexRule {
  bool negative = false;
  bool validate = false;
  std::string place;

  /// A valid index, or -1.
  int64_t resolve(int64_t index, int64_t size) const {
    if (negative && index < 0)
      index += size;
    return index >= 0 && index < size ? index : -1;
  }

  absl::Status outOfBounds(int64_t index, int64_t size) const {
    if (!validate)
      return absl::OkStatus();
    return absl::OutOfRangeError(absl::StrCat(place, ": index ", index, " is out of bounds for ", size, " elements"));
  }
};

inline IndexRule readIndexRule(OpArgs &args) {
  IndexRule rule;
  rule.negative = args.opset() < 17;
  rule.validate = args.opset() >= 17 && args.boolean("validate_indices", false);
  rule.place = args.place();
  return rule;
}

/// Element types of indices by opset.
inline TypeSet indexTypes(const OpArgs &args) {
  if (args.opset() >= 17)
    return kIndex;
  if (args.opset() == 16)
    return kInt32 | setOf(ElementType::Int16) | setOf(ElementType::UInt16);
  return kInt32;
}

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OPS_INDICES_H
