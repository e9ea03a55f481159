//===- Elementwise.cpp - one lane of element-wise ops ---------------------===//

#include "Elementwise.h"
#include "Lane.h"
#include "ane/IR/Number.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

static Type elementTypeOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

// The expressions of the records, whose functions are those of Number.h and, of lanes, of Lane.h.
namespace mlir::ane::number {
#define GET_MEANINGS
#include "ane/IR/Meanings.h.inc"

template <typename OpTy, size_t... indices>
static Value emitMeaning(OpTy op, ArrayRef<Lane> x, std::index_sequence<indices...>) {
  return meaningOf(op, x[indices]...).value;
}
} // namespace mlir::ane::number

template <typename OpTy, size_t count>
static Value emit(Scalar &s, Operation *op, ValueRange x) {
  SmallVector<Lane, 2> lanes;
  for (Value value : x)
    lanes.push_back({&s, value, elementTypeOf(op->getOperand(0))});
  return number::emitMeaning(cast<OpTy>(op), lanes, std::make_index_sequence<count>());
}

static Value emitCast(Scalar &s, Operation *op, ValueRange x) {
  return s.convert(x[0], elementTypeOf(op->getOperand(0)), elementTypeOf(op->getResult(0)));
}

static Value emitSelect(Scalar &s, Operation *, ValueRange x) { return s.select(x[0], x[1], x[2]); }

static DenseMap<TypeID, ElementwiseInfo> makeTable() {
  DenseMap<TypeID, ElementwiseInfo> table;
#define MEANING(OpTy, count, floats, integers, isCheap) table[TypeID::get<OpTy>()] = {emit<OpTy, count>, isCheap};
#define GET_MEANING_LIST
#include "ane/IR/Meanings.h.inc"
#undef MEANING
  table[TypeID::get<CastOp>()] = {emitCast, true};
  table[TypeID::get<SelectOp>()] = {emitSelect, true};
  return table;
}

const ElementwiseInfo *host::lookupElementwise(Operation *op) {
  static const DenseMap<TypeID, ElementwiseInfo> table = makeTable();
  auto it = table.find(op->getName().getTypeID());
  return it == table.end() ? nullptr : &it->second;
}
