//===- Origin.h - which op of the twin an op comes from --------*- C++ -*-===//
//
// An op of an engine region that computes something has `ane.from`: the places in the twin's block of the ops that it
// stands for, ascending. BeginEngineBody sets it, legalisers hand it on: by an EngineBuilder, or as listener of a
// greedy driver. Constant expressions have none.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_ORIGIN_H
#define ANE_CONSTRAINT_ORIGIN_H

#include "ane/IR/ANE.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::ane {

/// Nothing for ops that are not of an engine region.
ArrayRef<int64_t> originOf(Operation *op);
void setOrigin(Operation *op, ArrayRef<int64_t> places);
/// `op` comes from what `other` comes from, too.
void addOrigin(Operation *op, Operation *other);

/// Gives ops that are inserted the origin of the op that is rewritten; those that have one, as clones do, keep it.
/// Pattern drivers say which op that is.
class OriginListener : public RewriterBase::Listener {
public:
  OriginListener() = default;
  explicit OriginListener(ArrayRef<int64_t> places) : places(places) {}

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint previous) override;
  void notifyPatternBegin(const Pattern &, Operation *op) override { places = llvm::to_vector(originOf(op)); }
  void notifyPatternEnd(const Pattern &, LogicalResult) override { places.clear(); }

private:
  SmallVector<int64_t> places;
};

/// Builds before `op` what takes its place: the new ops come from where `op` comes from.
class EngineBuilder : public OpBuilder {
public:
  explicit EngineBuilder(Operation *op) : EngineBuilder(op->getBlock(), Block::iterator(op), originOf(op)) {}
  EngineBuilder(Block *block, Block::iterator where, ArrayRef<int64_t> places)
      : OpBuilder(block, where, &listener), listener(places) {}
  // The base points to a member.
  EngineBuilder(const EngineBuilder &) = delete;
  EngineBuilder &operator=(const EngineBuilder &) = delete;

private:
  OriginListener listener;
};

/// The places of ops in an island's twin.
class TwinPlaces {
public:
  explicit TwinPlaces(IslandOp island);
  /// The ops that read an argument: the origin of what is done to it at the border.
  SmallVector<int64_t> readersOf(unsigned argument) const;
  /// The op that computes a result.
  SmallVector<int64_t> producerOf(unsigned result) const;

private:
  Block &twin;
  llvm::DenseMap<Operation *, int64_t> places;
};

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_ORIGIN_H
