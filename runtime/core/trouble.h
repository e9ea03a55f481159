//===- trouble.h - Values that fp16 does not hold ---------------*- C++ -*-===//
//
// What happens to values inside of a program shows at its border only. Inputs are
// judged before it is evaluated, outputs behind, by where their elements are
// (Values::extentOf), which is looked for once for each value. Programs that
// follow each other are judged as one, until something that is not finite comes
// out of them: then the run begins anew and looks at each.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_TROUBLE_H
#define ANE_RUNTIME_CORE_TROUBLE_H

#include "runtime/core/values.h"

namespace ane::rt {

/// A value that a program reads or writes, in its surface.
struct Argument {
  Value *value;
  SurfaceForm *form;
  const manifest::Surface *port;
};

/// What of a run's values keeps a program from computing what the model says.
struct Trouble {
  std::string cause; ///< see Event; empty: nothing does
  std::string text;
};

/// Says whether the programs of a session have computed with their values what the model says.
class Judge {
public:
  Judge(NumericPolicy policy, Values &values) : policy(policy), values(values) {}

  absl::StatusOr<Trouble> ofInputs(absl::Span<const Argument> inputs);
  absl::StatusOr<Trouble> ofOutputs(absl::Span<const Argument> inputs, absl::Span<const Argument> outputs);
  /// Whether it looks at what goes from program to program, too, to find where that ceases to be finite: from the first
  /// run on in which something came out that was not.
  bool looksInside() const { return isLooking; }

private:
  static Trouble troubleOf(const Argument &input, const Extent &extent);
  /// `atBorder`: of those that are there.
  absl::StatusOr<bool> areFinite(absl::Span<const Argument> surfaces, bool atBorder);

  const NumericPolicy policy;
  Values &values;
  bool isLooking = false;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_TROUBLE_H
