//===- device_fixture.h - Programs on emulated devices --------------------===//

#ifndef ANE_RUNTIME_TEST_EMULATOR_DEVICE_FIXTURE_H
#define ANE_RUNTIME_TEST_EMULATOR_DEVICE_FIXTURE_H

#include "runtime/device/emulator/emulator_device.h"
#include "runtime/support/half.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace ane::rt::emulator {

inline std::unique_ptr<Device> deviceOf(Mode mode, const lint::TargetSpelling &target = {}) {
  EmulatorOptions options;
  options.mode = mode;
  options.target = target;
  return makeEmulatorDevice(options);
}

/// A surface of fp16 values, as large as C04 wants it.
inline SurfaceDesc surface(const std::string &name, std::vector<int64_t> shape, int64_t bytes = 49152) {
  SurfaceDesc desc = makeSurfaceDesc(name, ElementType::Float16, shape);
  desc.bytes = std::max(desc.bytes, bytes);
  return desc;
}

/// Dense values by name of input or output.
using Values = std::map<std::string, std::vector<float>>;

/// Runs a loaded program; inputs that are not given are zeros.
inline absl::StatusOr<Values> evaluate(Device &device, DeviceProgram &program, const ProgramDesc &desc,
                                       const Values &inputs) {
  std::vector<std::unique_ptr<Surface>> memory;
  std::vector<Surface *> in, out;
  for (const SurfaceDesc &s : desc.procedures[0].inputs) {
    memory.push_back(*device.allocate(s));
    in.push_back(memory.back().get());
    auto given = inputs.find(s.name);
    if (given == inputs.end() || s.type != ElementType::Float16)
      continue;
    int64_t width = s.shape.back();
    auto mapped = *in.back()->map(Access::Write);
    for (size_t i = 0; i < given->second.size(); ++i) {
      uint16_t half = floatToHalf(given->second[i]);
      auto at = static_cast<int64_t>(i);
      std::memcpy(mapped.data() + at / width * s.rowStride + at % width * 2, &half, 2);
    }
  }
  for (const SurfaceDesc &s : desc.procedures[0].outputs) {
    memory.push_back(*device.allocate(s));
    out.push_back(memory.back().get());
  }
  if (absl::Status status = program.evaluate(0, in, out); !status.ok())
    return status;
  Values result;
  for (size_t k = 0; k < out.size(); ++k) {
    const SurfaceDesc &s = desc.procedures[0].outputs[k];
    if (s.type != ElementType::Float16)
      continue;
    int64_t width = s.shape.back();
    auto mapped = *out[k]->map(Access::Read);
    for (int64_t i = 0; i < surfaceRows(s.shape) * width; ++i) {
      uint16_t half;
      std::memcpy(&half, mapped.data() + i / width * s.rowStride + i % width * 2, 2);
      result[s.name].push_back(halfToFloat(half));
    }
  }
  return result;
}

/// 0, step, 2 step, ... 96 step, 0, ...
inline std::vector<float> ramp(int64_t count, float step = 1) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(i % 97) * step);
  return values;
}

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_TEST_EMULATOR_DEVICE_FIXTURE_H
