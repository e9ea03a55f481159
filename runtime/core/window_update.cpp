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
  update.positionType = manifest.tensors[step.inputs[1]].type.dtype;
  auto begin = state.shape.begin(), end = state.shape.end();
  update.outer = manifest::elementCount({begin, begin + step.axis});
  update.entry = manifest::elementCount({begin + step.axis + 1, end}) * byteWidth(state.dtype);
  int64_t bytes = manifest::byteCount(window);
  if (absl::Status s = budget.take(bytes, "window of state " + step.target); !s.ok())
    return s;
  auto before = AlignedBuffer::allocate(bytes);
  if (!before.ok())
    return before.status();
  update.before = *std::move(before);
  return update;
}

template <typename Copy>
void WindowUpdate::forEachPart(int64_t first, void *state, Copy &&copy) {
  const int64_t bytes = entries * entry;
  if (bytes == 0)
    return;
  for (int64_t i = 0; i < outer; ++i)
    copy(static_cast<uint8_t *>(state) + (i * size + first) * entry, i * bytes, static_cast<size_t>(bytes));
}

absl::Status WindowUpdate::apply(const void *window, const void *position, void *state) {
  int64_t first = 0;
  convertElements(position, positionType, &first, ElementType::Int64, 1);
  if (first < 0 || first > size - entries) {
    if (skipOutside)
      return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("state ", name, ": ", entries, " entries at position ", first,
                                                   " of axis ", axis, " don't fit in its ", size,
                                                   "; positions from 0 to ", size - entries, " do"));
  }
  auto *source = static_cast<const uint8_t *>(window);
  forEachPart(first, state, [&](uint8_t *part, int64_t offset, size_t bytes) {
    std::memcpy(before.data() + offset, part, bytes);
    std::memcpy(part, source + offset, bytes);
  });
  applied = first;
  return absl::OkStatus();
}

bool WindowUpdate::undo(void *state) {
  if (applied < 0)
    return false;
  forEachPart(applied, state,
              [&](uint8_t *part, int64_t offset, size_t bytes) { std::memcpy(part, before.data() + offset, bytes); });
  applied = -1;
  return true;
}

} // namespace ane::rt
