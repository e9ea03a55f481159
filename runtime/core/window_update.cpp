//===- window_update.cpp - Writes into a part of a state ------------------===//
#include "runtime/core/window_update.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/convert.h"
#include <algorithm>
#include <cstring>

namespace ane::rt {

absl::StatusOr<WindowUpdate> WindowUpdate::create(const manifest::Manifest &manifest, const manifest::Step &step,
                                                  MemoryBudget &budget) {
  const manifest::TensorType &state = manifest.tensors[step.outputs[0]].type;
  const manifest::TensorType &window = manifest.tensors[step.inputs[0]].type;
  WindowUpdate update;
  update.name = step.target;
  update.axis = step.axis;
  update.skipOutside = step.skipOutside;
  update.size = state.shape[step.axis];
  update.entries = window.shape[step.axis];
  const manifest::TensorType &positions = manifest.tensors[step.inputs[1]].type;
  update.positionType = positions.dtype;
  update.positionCount = manifest::elementCount(positions.shape);
  update.runs.reserve(std::max<int64_t>(update.positionCount, 1));
  auto begin = state.shape.begin(), end = state.shape.end();
  update.outer = manifest::elementCount({begin, begin + step.axis});
  update.entry = manifest::elementCount({begin + step.axis + 1, end}) * byteWidth(state.dtype);
  int64_t bytes = manifest::byteCount(window);
  if (absl::Status s = budget.take(bytes + static_cast<int64_t>(update.runs.capacity() * sizeof(Run)),
                                   "window of state " + step.target);
      !s.ok())
    return s;
  auto before = AlignedBuffer::allocate(bytes);
  if (!before.ok())
    return before.status();
  update.before = *std::move(before);
  return update;
}

template <typename Copy>
void WindowUpdate::forEachPart(const Run &run, void *state, Copy &&copy) {
  const int64_t bytes = run.count * entry;
  if (bytes == 0)
    return;
  for (int64_t i = 0; i < outer; ++i)
    copy(static_cast<uint8_t *>(state) + (i * size + run.first) * entry, (i * entries + run.from) * entry,
         static_cast<size_t>(bytes));
}

absl::Status WindowUpdate::place(const void *positions) {
  runs.clear();
  const int64_t count = positionCount == 1 ? entries : 1;
  for (int64_t i = 0; i < positionCount; ++i) {
    int64_t first = 0;
    convertElements(static_cast<const uint8_t *>(positions) + i * byteWidth(positionType), positionType, &first,
                    ElementType::Int64, 1);
    if (first < 0 || first > size - count) {
      runs.clear();
      if (skipOutside)
        return absl::OkStatus();
      return absl::InvalidArgumentError(absl::StrCat("state ", name, ": ", count, " entries at position ", first,
                                                     " of axis ", axis, " don't fit in its ", size,
                                                     "; positions from 0 to ", size - count, " do"));
    }
    if (!runs.empty() && runs.back().first + runs.back().count == first)
      runs.back().count += count;
    else
      runs.push_back({first, i, count});
  }
  return absl::OkStatus();
}

absl::Status WindowUpdate::apply(const void *window, const void *positions, void *state) {
  if (absl::Status s = place(positions); !s.ok())
    return s;
  auto *source = static_cast<const uint8_t *>(window);
  for (const Run &run : runs)
    forEachPart(run, state, [&](uint8_t *part, int64_t offset, size_t bytes) {
      std::memcpy(before.data() + offset, part, bytes);
      std::memcpy(part, source + offset, bytes);
    });
  return absl::OkStatus();
}

bool WindowUpdate::undo(void *state) {
  if (runs.empty())
    return false;
  // The last first: runs may share entries.
  for (auto run = runs.rbegin(); run != runs.rend(); ++run)
    forEachPart(*run, state,
                [&](uint8_t *part, int64_t offset, size_t bytes) { std::memcpy(part, before.data() + offset, bytes); });
  runs.clear();
  return true;
}

} // namespace ane::rt
