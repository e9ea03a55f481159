//===- values.h - Where the values of a run are -----------------*- C++ -*-===//
//
// A value of the plan has a dense form, which host code and the caller see (a
// state's is the state's memory), and for each layout that programs give it a
// surface. Only the form in which a step made it has the value at first; a form
// that another step needs is brought up to date then, from one that is, and stays
// so as long as the value does. So what a program writes is read by the next one
// where it is, and what did not change since the last run is not moved again: of a
// value of which entries were replaced, these alone are. The values of a state
// belong to the state (states.h), so that all functions of a session share its
// surfaces.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_VALUES_H
#define ANE_RUNTIME_CORE_VALUES_H

#include "runtime/core/layout.h"
#include "runtime/core/plan.h"
#include "runtime/support/memory_plan.h"
#include <list>
#include <optional>

namespace ane::rt {

class States;

/// A value in a surface.
struct SurfaceForm {
  const manifest::Surface *info; ///< of the first port that it was made for
  SurfaceLayout layout;
  PooledSurface surface;
  uint64_t version = 0; ///< of the value that it shows; 0: of none
  /// The version of the value whose elements `extent` is of.
  uint64_t scanned = 0;
  Extent extent = {};
  /// `extent` is also of elements that have been overwritten since.
  bool isHull = false;
  bool wantsHalf = false; ///< somebody asks Extent::isHalf
  /// Whether the value's type holds every element that the surface can have.
  bool isExact = false;
  AlignedBuffer narrowed = {};  ///< of a mask: the dense form as the surface shows it, and room for narrowMask()
  uint64_t narrowedVersion = 0; ///< of the value that `narrowed` is of
};

/// Entries along an axis of a value that were replaced, which made this version of it.
struct EntryChange {
  uint64_t version;
  int64_t axis, first, count;
};

struct Value {
  /// Of the manifest or the plan, which outlive it.
  Value(const manifest::TensorType &type, void *dense, const manifest::SurfaceKinds &kinds)
      : type(type), kinds(kinds), bytes(manifest::byteCount(type)), dense(dense) {}

  const manifest::TensorType &type;
  const manifest::SurfaceKinds &kinds; ///< of all forms that it may get
  int64_t bytes;
  void *dense; ///< row-major, where it is now
  uint64_t version = 1, denseVersion = 1;
  bool isSeen = false;          ///< whether the caller sees the dense form, or it is a state
  bool isRead = false;          ///< by CPU code or an update, in some step
  bool isComputed = false;      ///< by a program, in a surface
  std::list<SurfaceForm> forms; ///< their addresses stay
  /// Of all versions after `changesSince`, the oldest first; other versions are of new values.
  std::vector<EntryChange> changes;
  uint64_t changesSince = 1;

  bool isDense() const { return denseVersion == version; }
  /// Whether anything but programs has it, so that what became of it in fp16 shows.
  bool isAtBorder() const { return isSeen || isRead; }

  // Somebody has written the value there: other forms no longer show it.
  void wroteDense();
  void wroteSurface(SurfaceForm &form);
  /// Entries of the dense form, which had the value.
  void wroteEntries(int64_t axis, int64_t first, int64_t count);
  /// Makes room, so that wroteEntries() allocates nothing.
  void expectEntries();
  /// The bytes of all entries that were replaced after that version; nothing: more is new, or this is no less than all.
  std::optional<int64_t> changedAfter(uint64_t since) const;
};

/// What bringing forms up to date has cost, so far.
struct Traffic {
  int64_t copiedBytes = 0;  ///< of values, into and out of surfaces
  int64_t scannedBytes = 0; ///< of values whose elements were looked at, for what fp16 does not hold
  int64_t clampedElements = 0;
  int64_t ns = 0;
};

/// The values of a session: those of the plan, in memory of its own or in its states.
class Values {
public:
  /// Plan and states outlive it. ResourceExhausted, with all that the function needs, if the budget is less.
  static absl::StatusOr<Values> create(const Plan &plan, States &states, MemoryBudget &budget);
  /// By its place in the plan.
  Value &at(size_t index) const { return *all[index]; }

  /// The form of a program's input or output: one for all whose surfaces are alike.
  absl::StatusOr<SurfaceForm *> form(Value &value, const manifest::Surface &surface,
                                     const std::shared_ptr<SurfacePool> &pool, MemoryBudget &budget);

  // All that maps a surface may fail with what Surface::map says; forms are as before then, and nothing shows a value
  // that it does not have.

  /// A program has written the value there: Value::wroteSurface().
  absl::Status wroteSurface(Value &value, SurfaceForm &form);
  /// Makes a form show the value.
  absl::Status bringDense(Value &value);
  absl::Status bringSurface(Value &value, SurfaceForm &form);
  /// Where the value's elements are, before `form` makes fp16 of them; from the last time, if the value is the same.
  absl::StatusOr<Extent> extentOf(Value &value, SurfaceForm &form);
  /// The same, of these elements alone.
  absl::StatusOr<Extent> exactExtentOf(Value &value, SurfaceForm &form);
  /// Gives infinite elements of a form that shows the value the largest magnitude of fp16, and counts them.
  absl::Status clampInfinite(Value &value, SurfaceForm &form);

  const Traffic &traffic() const { return spent; }

private:
  /// The dense form, or what becomes of it in a mask.
  static const void *shown(Value &value, SurfaceForm &form);
  Extent scanDense(const SurfaceForm &form, ElementType type, const void *data, int64_t bytes);
  void scanChanges(const Value &value, SurfaceForm &form);

  AlignedBuffer memory;
  std::vector<Value> own; ///< the states' are elsewhere
  std::vector<Value *> all;
  Traffic spent;
};

/// Moves the value of `from` to `to` without a copy: a form of `to` takes the surface of the form of `from` that shows
/// the value and has the same layout. Returns whether there are two such forms.
bool passSurfaces(Value &from, Value &to);

/// Lets the surfaces that passSurfaces() would pass change places, whatever they show.
void swapSurfaces(Value &a, Value &b);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_VALUES_H
