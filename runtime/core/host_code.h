//===- host_code.h - The CPU code that a session runs -----------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_HOST_CODE_H
#define ANE_RUNTIME_CORE_HOST_CODE_H

#include "runtime/core/session_weights.h"
#include "runtime/core/values.h"

namespace ane::rt {

/// Native code of the bundle.
absl::StatusOr<ane_host_fn> findCode(Bundle &bundle, const manifest::HostFunction &host);
/// What computes a procedure on the CPU. NotFound, with the remedy, in a bundle without CPU code.
absl::StatusOr<const manifest::HostFunction *> findTwin(const Bundle &bundle, const manifest::Program &program,
                                                        const manifest::Procedure &procedure);

/// Calls CPU code: with room for its arguments, its scratch memory, and the weights as the session has them.
class HostCode {
public:
  /// `mostArguments` of one call. Bundle and budget outlive it.
  HostCode(const Bundle &bundle, MemoryBudget &budget, size_t mostArguments)
      : bundle(bundle), budget(budget), arguments(mostArguments) {}

  /// Before calls of that function: makes room for them, and gives it the weights that it reads.
  absl::Status add(const manifest::HostFunction &host);
  /// From now on code reads these.
  absl::Status use(std::unique_ptr<SessionWeights> weights);
  /// Of this session; null until one is set.
  SessionWeights *weights() const { return ownWeights.get(); }

  /// Computes outputs, whose dense forms are new then.
  absl::Status call(ane_host_fn code, Values &values, const std::vector<size_t> &inputs,
                    const std::vector<size_t> &outputs);

private:
  const Bundle &bundle;
  MemoryBudget &budget;
  std::unique_ptr<SessionWeights> ownWeights;
  std::vector<const manifest::HostFunction *> functions; ///< that were added
  std::vector<void *> arguments;
  AlignedBuffer scratch; ///< of all functions: calls come one after another
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_HOST_CODE_H
