//===- sampling.h - Grid points of resizing ops ---------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OPS_SAMPLING_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OPS_SAMPLING_H

#include "runtime/device/emulator/op_args.h"

#include <string>
#include <vector>

namespace ane::rt::emulator {

/// How `out` points are spread over an axis of `in` elements, coordinates 0 to
/// in - 1 (coreml-mlprogram.md 3, image resizing):
///   strict_align  i * (in - 1) / (out - 1)
///   align         the same, but the middle when out is 1
///   default       i * in / out
///   offset        (i + 0.5) * max(1, in - 1) / out
///   unalign       (i + 0.5) * in / out - 0.5
enum class Sampling { StrictAlign, Align, Default, Offset, Unalign };

/// Reads `sampling_mode` ("STRICT_ALIGN_CORNERS", ...); "DEFAULT" if absent.
Sampling readSampling(OpArgs &args);

/// Grid points before they are clamped to the axis. `in` may be fractional: the
/// extent of a box is its last coordinate less its first, plus one.
std::vector<double> gridPoints(Sampling sampling, double in, int64_t out);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OPS_SAMPLING_H
