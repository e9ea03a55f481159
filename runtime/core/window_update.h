//===- window_update.h - Writes into a part of a state ----------*- C++ -*-===//
//
// An update replaces entries of a state in its memory: those from a position
// on, or those at positions of their own. What they were is kept until the run has succeeded, so that a run that fails
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

  /// Consecutive entries that were written.
  struct Run {
    int64_t first; ///< in the state
    int64_t from;  ///< in the window
    int64_t count;
  };

  /// From now on only the first `count` entries of the window are written; the others come from what fills up a bucket.
  /// Until this is called, all are.
  void writeFirst(int64_t count) { used = count; }
  /// Copies `window` into `state`, unless it is skipped. Of several entries with one
  /// position the last one stays. InvalidArgument, and nothing copied, when an entry
  /// would lie outside of the state.
  absl::Status apply(const void *window, const void *positions, void *state);
  /// What was written since the last undo() or keep().
  const std::vector<Run> &written() const { return runs; }
  /// Calls `look(elements, bytes)` for all of it, in the state's memory.
  template <typename Look>
  void forEachWritten(const void *state, Look &&look) const {
    for (const Run &run : runs)
      forEachPart(run, [&](int64_t inState, int64_t, size_t bytes) {
        look(static_cast<const uint8_t *>(state) + inState, bytes);
      });
  }
  int64_t along() const { return axis; }
  /// Of the entries that are written.
  int64_t bytes() const { return outer * used * entry; }
  /// Takes back what was applied since the last undo() or keep(), if it was.
  bool undo(void *state);
  void keep() { runs.clear(); }

private:
  /// Fills `runs`.
  absl::Status place(const void *positions);
  /// Calls `part(inState, inWindow, bytes)`, with places in bytes, for what lies side by side in both.
  template <typename Part>
  void forEachPart(const Run &run, Part &&part) const {
    const int64_t bytes = run.count * entry;
    for (int64_t i = 0; i < outer && bytes != 0; ++i)
      part((i * size + run.first) * entry, (i * entries + run.from) * entry, static_cast<size_t>(bytes));
  }

  std::string name;              ///< of the state
  int64_t outer = 0;             ///< parts of the window: products of the dimensions before the axis
  int64_t entry = 0;             ///< bytes of an entry in one part
  int64_t size = 0, entries = 0; ///< of the state along the axis, and of the window
  int64_t used = 0;              ///< of `entries`, those that are written
  int64_t positionCount = 1;     ///< one, or one for each entry
  int64_t axis = 0;
  bool skipOutside = false;
  ElementType positionType = ElementType::Int64;
  AlignedBuffer before;
  std::vector<Run> runs; ///< whose content before is in `before`; has room for all entries
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_WINDOWUPDATE_H
