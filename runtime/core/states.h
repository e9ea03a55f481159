//===- states.h - Tensors that a session keeps ------------------*- C++ -*-===//
//
// A state has two buffers: a run reads its value from one and writes the next
// value into the other, and they change places when the run has succeeded. A
// failed run leaves all states as they were. Steps write the next value in its
// place, unless the same tensor is an input, an output or another state's value:
// then it is copied.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_STATES_H
#define ANE_RUNTIME_CORE_STATES_H

#include "runtime/core/bundle.h"
#include "runtime/support/memory_plan.h"

namespace ane::rt {

struct State {
  const manifest::State *record;
  int64_t read, write; ///< tensors of the plan, see manifest::StateUse
  int64_t bytes;
  void *value;   ///< dense row-major in the model's type, 64-byte aligned
  void *next;    ///< where a run puts the next value; `value` if none changes it
  bool isCopied; ///< into `next`, at the end of a run

  bool changes() const { return read != write; }
};

class States {
public:
  States() = default;
  /// Of a function of the bundle's manifest; with their initial values.
  static absl::StatusOr<States> create(const Bundle &bundle, const manifest::Function &function, MemoryBudget &budget);

  std::vector<State> &all() { return list; }
  const std::vector<State> &all() const { return list; }
  /// InvalidArgument, naming it, for an index that there is not.
  absl::StatusOr<const State *> find(size_t index) const;

  /// Initial values again.
  absl::Status reset(const Bundle &bundle);
  /// Copies a value out or in: InvalidArgument unless `bytes` is that of the state.
  absl::Status read(size_t index, void *data, int64_t bytes) const;
  absl::Status write(size_t index, const void *data, int64_t bytes);
  /// Takes the values of a session of the same function.
  void copyFrom(const States &other);

private:
  absl::StatusOr<const State *> findOfSize(size_t index, int64_t bytes) const;

  std::vector<State> list;
  AlignedBuffer memory;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_STATES_H
