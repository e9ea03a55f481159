//===- program.cpp - One function of a MIL program, ready to run ----------===//

#include "runtime/device/emulator/program.h"

#include "absl/strings/str_cat.h"
#include "runtime/support/half.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace ane::rt::emulator {
namespace {

template <typename T>
void wrapTo(int32_t *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<int32_t>(static_cast<T>(values[i]));
}

/// Replaces each NaN.
void replaceNaN(float *values, int64_t count, float by) {
  for (int64_t i = 0; i < count; ++i)
    if (std::isnan(values[i]))
      values[i] = by;
}

} // namespace

void storeAs(const TensorType &type, void *elements) {
  int64_t count = type.size();
  auto *ints = static_cast<int32_t *>(elements);
  switch (type.element) {
  case ElementType::Float16:
    return roundToHalf(static_cast<float *>(elements), count);
  case ElementType::Int8:
    return wrapTo<int8_t>(ints, count);
  case ElementType::UInt8:
    return wrapTo<uint8_t>(ints, count);
  case ElementType::Int16:
    return wrapTo<int16_t>(ints, count);
  case ElementType::UInt16:
    return wrapTo<uint16_t>(ints, count);
  default:
    return;
  }
}

void *Program::Value::memory(float *arena) const {
  if (constant)
    return constant->elements.get();
  return offset < 0 ? nullptr : arena + offset;
}

void Program::findPacked() {
  for (const Value &value : values)
    packed.push_back(value.constant ? value.constant->packed : nullptr);
}

std::unique_ptr<Program::Memory> Program::takeMemory() {
  std::unique_ptr<Memory> memory;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!idle.empty()) {
      memory = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!memory) {
    memory = std::make_unique<Memory>();
    memory->arena = allocateElements(arenaElements);
  }
  if (memory->pointers.empty())
    for (const Value &value : values)
      memory->pointers.push_back(value.memory(static_cast<float *>(memory->arena.get())));
  return memory;
}

void Program::giveBack(std::unique_ptr<Memory> memory) {
  std::lock_guard<std::mutex> lock(mutex);
  idle.push_back(std::move(memory));
}

absl::StatusOr<std::unique_ptr<Program>>
Program::withWeights(absl::Span<const WeightRange> changed, ConstantOptions options, const Limits &limits, bool ends) {
  auto isChanged = [&](const BlobPlace &place) {
    const std::optional<std::string_view> path = weightPath(place.path);
    if (!path)
      return false;
    const auto first = static_cast<int64_t>(place.first), end = first + static_cast<int64_t>(place.bytes);
    auto range = std::partition_point(changed.begin(), changed.end(), [&](const WeightRange &each) {
      return each.path != *path ? each.path < *path : each.offset + each.bytes <= first;
    });
    return range != changed.end() && range->path == *path && range->offset < end;
  };
  // What has changed may change again: it stays in its file and is widened at each use.
  options.wideBytes = 0;
  ConstantPool pool(options, limits);
  std::map<const Constant *, std::shared_ptr<const Constant>> others;
  for (const Value &value : values) {
    const Constant *constant = value.constant.get();
    if (!constant || !constant->place || others.count(constant) || !isChanged(*constant->place))
      continue;
    if (constant->isUsed)
      return absl::UnimplementedError(absl::StrCat("weight file \"", constant->place->path, "\": an op has used ",
                                                   constant->type.str(), " at ", constant->place->first,
                                                   " when it was loaded"));
    auto other = pool.decodeAgain(*constant);
    if (!other.ok())
      return other.status();
    others[constant] = *std::move(other);
  }
  std::unique_ptr<Program> made(new Program);
  made->inputPorts = inputPorts;
  made->outputPorts = outputPorts;
  made->outputValues = outputValues;
  made->values = values;
  for (Value &value : made->values)
    if (auto other = others.find(value.constant.get()); other != others.end())
      value.constant = other->second;
  made->schedule = schedule;
  made->numerics = numerics;
  made->arenaElements = arenaElements;
  made->scratchElements = scratchElements;
  if (ends) {
    made->idle = std::move(idle);
    for (const std::unique_ptr<Memory> &memory : made->idle)
      memory->pointers.clear(); // constants are elsewhere
  }
  made->findPacked();
  made->giveBack(made->takeMemory());
  return made;
}

absl::Status Program::run(Memory &memory) const {
  if (numerics.makesNoNaN)
    for (size_t i = 0; i < inputs().size(); ++i)
      if (void *elements = input(memory, i); elements && isFloat(inputs()[i].type.element))
        replaceNaN(static_cast<float *>(elements), inputs()[i].type.size(), std::numeric_limits<float>::infinity());
  for (const Step &step : schedule) {
    memory.scratch.reset();
    KernelContext context(memory.pointers, packed, step.results, memory.scratch, numerics);
    absl::Status status = step.kernel(context);
    if (!status.ok())
      return status;
    if (step.exact)
      continue;
    for (int64_t result : step.results) {
      const Value &value = values[static_cast<size_t>(result)];
      void *elements = memory.pointers[static_cast<size_t>(result)];
      if (numerics.makesNoNaN && isFloat(value.type.element))
        replaceNaN(static_cast<float *>(elements), value.type.size(), 0);
      storeAs(value.type, elements);
    }
  }
  return absl::OkStatus();
}

} // namespace ane::rt::emulator
