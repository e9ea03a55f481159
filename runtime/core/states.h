//===- states.h - Tensors that a session keeps ------------------*- C++ -*-===//
//
// A session has the states of its bundle, which its functions share. A state that
// a function changes has two buffers: a run reads its value from one and writes
// the next value into the other, and they change places when the run has
// succeeded. A failed run leaves all states as they were. One that functions only
// update (window_update.h) has one buffer. Both are values (values.h), so that a
// surface of a state is the session's, and not packed anew when another function
// runs: it gets the entries that were replaced since it was read.
//
// States of adapters (core/adapter.h) are what the session computes with, and not
// what it remembers: they stay as they are when the others are reset, or are read
// from a file or from another session.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_STATES_H
#define ANE_RUNTIME_CORE_STATES_H

#include "runtime/core/bundle.h"
#include "runtime/core/state_plan.h"
#include "runtime/core/values.h"
#include "runtime/support/memory_plan.h"
#include <deque>
#include <optional>

namespace ane::rt {

struct State {
  explicit State(const PlannedState &plan)
      : record(plan.record), bytes(plan.bytes), now(record->type, nullptr, plan.kinds),
        next(record->type, nullptr, plan.kinds), axis(plan.axis), isAdapter(plan.isAdapter) {
    now.isSeen = next.isSeen = true;
  }

  const manifest::State *record;
  int64_t bytes;
  Value now;                  ///< its dense form is 64-byte aligned
  Value next;                 ///< where a run puts the next value; without memory if no function writes a whole one
  std::optional<size_t> axis; ///< PlannedState::axis
  bool isAdapter;             ///< a matrix of an adapter
};

class States {
public:
  /// Those of the bundle's manifest, in its order, with their initial values.
  static absl::StatusOr<std::shared_ptr<States>> create(Bundle &bundle, MemoryBudget &budget);

  std::deque<State> &all() { return list; }
  const std::deque<State> &all() const { return list; }
  /// InvalidArgument, naming it, for an index that there is not.
  absl::StatusOr<const State *> find(size_t index) const;

  /// Initial values again, but of adapters.
  absl::Status reset(const Bundle &bundle);
  /// Copies a value out or in: InvalidArgument unless `bytes` is that of the state.
  absl::Status read(size_t index, void *data, int64_t bytes) const;
  absl::Status write(size_t index, const void *data, int64_t bytes);
  /// Copies the first `count` entries of `from` along `axis` to `position` and behind. Sizes along other axes are the
  /// state's, and there is room for the entries.
  void place(size_t index, const State &from, size_t axis, int64_t position, int64_t count);
  /// Takes the values of a session of the same bundle.
  void copyFrom(const States &other);

  /// The bytes of the first `entries` of the state, along State::axis; all without one, or where it is no longer.
  static int64_t bytesOf(const State &state, int64_t entries);
  /// Takes the values of the states of the same names of any bundle, but of adapters: of those that have State::axis
  /// the first `entries` along it. InvalidArgument, with nothing changed, where one is missing or has another type or
  /// shape. Returns the bytes that were copied.
  absl::StatusOr<int64_t> take(const States &other, int64_t entries);

  /// The next values of these states become their values.
  void advance(const std::vector<size_t> &changed);

private:
  absl::StatusOr<const State *> findOfSize(size_t index, int64_t bytes) const;

  std::deque<State> list; ///< executors have the addresses of the values
  AlignedBuffer memory;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_STATES_H
