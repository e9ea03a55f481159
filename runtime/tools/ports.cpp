//===- ports.cpp - Inputs and outputs by name and as numbers --------------===//
#include "runtime/tools/ports.h"
#include "runtime/support/half.h"

namespace ane::rt::tools {

absl::Status setIntegers(Executor &executor, size_t port, absl::Span<const int32_t> values) {
  absl::StatusOr<void *> data = executor.inputData(port);
  if (!data.ok())
    return data.status();
  if (executor.inputs()[port].type.dtype == ElementType::Int64)
    std::copy(values.begin(), values.end(), static_cast<int64_t *>(*data));
  else
    std::copy(values.begin(), values.end(), static_cast<int32_t *>(*data));
  return absl::OkStatus();
}

absl::Span<const float> floatsOf(const Port &port, std::vector<float> &scratch) {
  size_t count = static_cast<size_t>(manifest::elementCount(port.type.shape));
  if (port.type.dtype == ElementType::Float32)
    return absl::MakeConstSpan(static_cast<const float *>(port.data), count);
  scratch.resize(count);
  widenHalf(static_cast<const uint16_t *>(port.data), scratch.data(), static_cast<int64_t>(count));
  return absl::MakeConstSpan(scratch);
}

text::DeviceWork workOf(const Executor &executor) {
  text::DeviceWork work;
  for (const StepProfile &step : executor.profile()) {
    work.evaluations += static_cast<uint64_t>(step.evaluations);
    work.bytes += static_cast<uint64_t>(step.inputBytes + step.outputBytes + step.evaluations * step.weightBytes);
  }
  return work;
}

} // namespace ane::rt::tools
