//===- window_update.h - Writes into a part of a state ----------*- C++ -*-===//
//
// An update replaces the entries of a state from a position on, in its memory.
// What they were is kept until the run has succeeded, so that a run that fails
// or is cancelled leaves states as they were.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_WINDOWUPDATE_H
#define ANE_RUNTIME_CORE_WINDOWUPDATE_H

#include "runtime/format/manifest/manifest.h"
#include "runtime/support/memory_budget.h"
#include "runtime/support/memory_plan.h"

namespace ane::rt {

class WindowUpdate {
public:
  /// `step` has passed manifest::verify.
  static absl::StatusOr<WindowUpdate> create(const manifest::Manifest &manifest, const manifest::Step &step,
                                             MemoryBudget &budget);

  /// Copies `window` into `state`, unless it is skipped. InvalidArgument when it
  /// would stand out.
  absl::Status apply(const void *window, const void *position, void *state);
  /// The entries that were written since the last undo() or keep(): none are -1.
  int64_t first() const { return applied; }
  int64_t count() const { return entries; }
  /// Of the window.
  int64_t bytes() const { return outer * entries * entry; }
  /// Takes back what was applied since the last undo() or keep(), if it was.
  bool undo(void *state);
  void keep() { applied = -1; }

private:
  /// Between the entries from `first` on and dense memory.
  template <typename Copy>
  void forEachPart(int64_t first, void *state, Copy &&copy);

  std::string name;              ///< of the state
  int64_t outer = 0;             ///< parts of the window: products of the dimensions before the axis
  int64_t entry = 0;             ///< bytes of an entry in one part
  int64_t size = 0, entries = 0; ///< of the state along the axis, and of the window
  int64_t axis = 0;
  bool skipOutside = false;
  ElementType positionType = ElementType::Int64;
  AlignedBuffer before;
  int64_t applied = -1; ///< position of the window whose content before is in `before`
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_WINDOWUPDATE_H
