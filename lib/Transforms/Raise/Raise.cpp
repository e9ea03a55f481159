//===- Raise.cpp - what patterns share ------------------------------------===//

#include "Raise.h"
#include "ane/Constraint/ConstantSources.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::raise;

void Product::collect(Value value, bool root) {
  if (auto splat = getSplat(value)) {
    constant *= *splat;
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op && (root || value.hasOneUse())) {
    if (auto mul = dyn_cast<MulOp>(op)) {
      locs.push_back(op->getLoc());
      collect(mul.getX(), false);
      collect(mul.getY(), false);
      return;
    }
    if (auto div = dyn_cast<RealDivOp>(op))
      if (auto splat = getSplat(div.getY())) {
        locs.push_back(op->getLoc());
        constant /= *splat;
        collect(div.getX(), false);
        return;
      }
  }
  factors.push_back(value);
}

template <typename Op>
Value raise::matchWithSplat(Value value, double constant) {
  auto op = value.getDefiningOp<Op>();
  if (!op)
    return nullptr;
  for (auto [splat, other] : {std::pair(op.getX(), op.getY()), std::pair(op.getY(), op.getX())})
    if (auto found = getSplat(splat); found && (*found == constant || isClose(*found, constant)))
      return other;
  return nullptr;
}
template Value raise::matchWithSplat<AddOp>(Value, double);
template Value raise::matchWithSplat<MulOp>(Value, double);

Value raise::matchSquare(Value value) {
  if (auto pow = value.getDefiningOp<PowOp>())
    return getSplat(pow.getY()) == 2.0 ? pow.getX() : Value();
  if (auto mul = value.getDefiningOp<MulOp>())
    return mul.getX() == mul.getY() ? mul.getX() : Value();
  auto square = value.getDefiningOp<SquareOp>();
  return square ? square.getX() : Value();
}

std::optional<SmallVector<double>> raise::evaluateDoubles(Value value, int64_t maxElements) {
  RankedTensorType type = typeOf(value);
  if (!isConstantExpr(value) || type.getNumElements() > maxElements)
    return std::nullopt;
  FailureOr<DenseElementsAttr> attr = evaluateToAttribute(value);
  if (failed(attr))
    return std::nullopt;
  markDecisive(value);
  SmallVector<double> values;
  if (isa<FloatType>(type.getElementType()))
    for (const APFloat &element : attr->getValues<APFloat>())
      values.push_back(element.convertToDouble());
  else
    for (const APInt &element : attr->getValues<APInt>())
      values.push_back(double(element.getSExtValue()));
  return values;
}
