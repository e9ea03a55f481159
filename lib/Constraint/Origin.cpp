//===- Origin.cpp - which op of the twin an op comes from -----------------===//

#include "ane/Constraint/Origin.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"

using namespace mlir;
using namespace mlir::ane;

ArrayRef<int64_t> mlir::ane::originOf(Operation *op) {
  auto places = attrs::from.get(op);
  return places ? places.asArrayRef() : ArrayRef<int64_t>();
}

void mlir::ane::setOrigin(Operation *op, ArrayRef<int64_t> places) {
  if (!places.empty())
    attrs::from.set(op, DenseI64ArrayAttr::get(op->getContext(), places));
}

void mlir::ane::addOrigin(Operation *op, Operation *other) {
  SmallVector<int64_t> both;
  llvm::append_range(both, originOf(op));
  llvm::append_range(both, originOf(other));
  llvm::sort(both);
  both.erase(llvm::unique(both), both.end());
  setOrigin(op, both);
}

void OriginListener::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  if (!places.empty() && !attrs::from.isOn(op) && !isConstantExpr(op))
    setOrigin(op, places);
}

TwinPlaces::TwinPlaces(IslandOp island) : twin(island.getTwin().front()) {
  for (auto [place, op] : llvm::enumerate(twin.without_terminator()))
    this->places[&op] = place;
}

SmallVector<int64_t> TwinPlaces::readersOf(unsigned argument) const {
  SmallVector<int64_t> readers;
  for (Operation *user : twin.getArgument(argument).getUsers())
    if (auto place = places.find(user); place != places.end())
      readers.push_back(place->second);
  llvm::sort(readers);
  readers.erase(llvm::unique(readers), readers.end());
  return readers;
}

SmallVector<int64_t> TwinPlaces::producerOf(unsigned result) const {
  auto place = places.find(twin.getTerminator()->getOperand(result).getDefiningOp());
  return place == places.end() ? SmallVector<int64_t>() : SmallVector<int64_t>{place->second};
}
