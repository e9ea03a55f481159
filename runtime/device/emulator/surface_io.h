//===- surface_io.h - Values in surfaces ----------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_SURFACE_IO_H
#define ANE_RUNTIME_DEVICE_EMULATOR_SURFACE_IO_H

#include "absl/status/status.h"
#include "runtime/device/device.h"
#include "runtime/device/emulator/tensor.h"

namespace ane::rt::emulator {

/// Refuses a surface whose type or shape is not `type`, whose rows do not hold
/// their elements, or whose allocation does not hold its rows. `where` begins
/// the message.
absl::Status checkSurface(const SurfaceDesc &surface, const TensorType &type, const std::string &where);

/// Rows of a surface into dense elements (tensor.h), and back. Bytes between
/// the rows are not touched.
void readSurface(const SurfaceDesc &surface, const uint8_t *from, void *to);
void writeSurface(const SurfaceDesc &surface, const void *from, uint8_t *to);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_SURFACE_IO_H
