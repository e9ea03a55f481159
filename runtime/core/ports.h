//===- ports.h - Inputs and outputs of a session ----------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_PORTS_H
#define ANE_RUNTIME_CORE_PORTS_H

#include "runtime/core/values.h"

namespace ane::rt {

/// An input or output of the function, dense row-major in the model's type.
struct Port {
  std::string name;
  manifest::TensorType type;
  /// 64-byte aligned; the session's own, or what the port is bound to.
  void *data = nullptr;
  int64_t bytes = 0;
  void *own = nullptr; ///< the session's buffer
  const manifest::Port *place = nullptr;
  bool set = false;    ///< inputs: has been given a value
  bool isOpen = false; ///< inputs: the memory's owner may write there at any time
  /// Inputs: what it is bound to changes only when it is bound anew.
  bool isConstant = false;
};

/// The inputs and outputs of a session: whose memory they are, and what the caller has put there.
/// Executor says what it asks of callers.
class Ports {
public:
  /// Plan and values outlive it.
  Ports(const Plan &plan, Values &values);

  const std::vector<Port> &inputs() const { return inputPorts; }
  const std::vector<Port> &outputs() const { return outputPorts; }

  absl::Status setInput(size_t index, const void *data, int64_t bytes);
  absl::StatusOr<void *> inputData(size_t index);
  absl::Status bindInput(size_t index, const void *data, int64_t bytes, bool isConstant);
  absl::Status bindOutput(size_t index, void *data, int64_t bytes);

  /// Before a run. FailedPrecondition where an input was not set or ports overlap, InvalidArgument for indices that are
  /// none.
  absl::Status check();
  /// After that: the run finds inputs and states as they are now.
  void refresh();

private:
  absl::Status checkInput(size_t index) const;
  absl::Status checkOverlaps();
  absl::Status bind(Port &port, const PlannedPort &planned, void *data, int64_t bytes);
  Value &valueOf(const Port &input) const { return values.at(plan.inputs[&input - inputPorts.data()].value); }

  const Plan &plan;
  Values &values;
  std::vector<Port> inputPorts, outputPorts;
  struct Bound {
    const Port *port;
    bool isInput;
  };
  std::vector<Bound> bound; ///< room for checkOverlaps()
  bool wasBound = false;    ///< since then
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_PORTS_H
