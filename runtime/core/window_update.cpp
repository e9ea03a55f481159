//===- window_update.cpp - Writes into a part of a state ------------------===//
#include "runtime/core/window_update.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/convert.h"
#include "runtime/core/entries_along.h"
#include <algorithm>
#include <cstring>

namespace ane::rt {

absl::StatusOr<WindowUpdate> WindowUpdate::create(const manifest::Manifest &manifest, const manifest::Step &step,
                                                  MemoryBudget &budget) {
  const manifest::TensorType &state = manifest.tensors[step.outputs[0]].type;
  const manifest::TensorType &window = manifest.tensors[step.inputs[0]].type;
  const EntriesAlong along(state.shape, step.axis);
  WindowUpdate update;
  update.name = step.target;
  update.axis = step.axis;
  update.skipOutside = step.skipOutside;
  update.size = along.size;
  update.entries = update.used = window.shape[step.axis];
  const manifest::TensorType &positions = manifest.tensors[step.inputs[1]].type;
  update.positionType = positions.dtype;
  update.positionCount = manifest::elementCount(positions.shape);
  update.runs.reserve(std::max<int64_t>(update.positionCount, 1));
  update.outer = along.outer;
  update.entry = along.inner * byteWidth(state.dtype);
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

absl::Status WindowUpdate::place(const void *positions) {
  runs.clear();
  const bool isOne = positionCount == 1;
  const int64_t count = isOne ? used : 1, placed = isOne ? 1 : used;
  for (int64_t i = 0; i < placed; ++i) {
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
  auto *from = static_cast<const uint8_t *>(window);
  auto *to = static_cast<uint8_t *>(state);
  for (const Run &run : runs)
    forEachPart(run, [&](int64_t inState, int64_t inWindow, size_t bytes) {
      std::memcpy(before.data() + inWindow, to + inState, bytes);
      std::memcpy(to + inState, from + inWindow, bytes);
    });
  return absl::OkStatus();
}

bool WindowUpdate::undo(void *state) {
  if (runs.empty())
    return false;
  // The last first: runs may share entries.
  for (auto run = runs.rbegin(); run != runs.rend(); ++run)
    forEachPart(*run, [&](int64_t inState, int64_t inWindow, size_t bytes) {
      std::memcpy(static_cast<uint8_t *>(state) + inState, before.data() + inWindow, bytes);
    });
  runs.clear();
  return true;
}

} // namespace ane::rt
