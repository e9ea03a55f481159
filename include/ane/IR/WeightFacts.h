//===- WeightFacts.h - what is known of a weight's elements ----*- C++ -*-===//
#ifndef ANE_IR_WEIGHTFACTS_H
#define ANE_IR_WEIGHTFACTS_H

#include "ane/IR/ANE.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>

namespace mlir::ane {

/// Of all elements of a weight of floats.
struct WeightFacts {
  /// Of the elements that are numbers; empty where none is.
  FloatRange range = FloatRange::empty();
  bool hasNaN = false;

  double largestMagnitude() const { return std::max(std::abs(range.low), std::abs(range.high)); }
};

/// The facts of `weight`; nothing where its elements are no floats of 16, 32 or 64 bits, or can't be read. A context
/// keeps them. May be asked on any thread.
std::optional<WeightFacts> factsOf(WeightAttr weight);

/// Facts that hold for all elements of a constant expression that only moves a weight's; nothing for any other.
std::optional<WeightFacts> boundsOfMoved(Value value);

/// The facts of a constant expression of floats; nothing for any other value, and where it can't be evaluated.
std::optional<WeightFacts> factsOfConstant(Value value);

/// Finds the facts of a module's weights on a thread of its context, if it has any, until it ends; its maker goes on
/// with what threads don't share, such as the passes over one function.
class FactsAhead {
public:
  explicit FactsAhead(ModuleOp module);
  ~FactsAhead();

private:
  std::atomic<bool> isOver = false;
  std::optional<llvm::ThreadPoolTaskGroup> tasks;
};

/// Keeps the facts of a context.
std::unique_ptr<DialectInterface> createWeightFactsTable(Dialect *dialect);

} // namespace mlir::ane

#endif // ANE_IR_WEIGHTFACTS_H
