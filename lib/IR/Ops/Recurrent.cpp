//===- Recurrent.cpp - recurrent networks ---------------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Inference.h"

using namespace mlir;
using namespace mlir::ane;

/// Fails unless `value` (null is fine) has the given shape and the element type of `x`.
static LogicalResult checkShape(OptionalLoc loc, Value x, StringRef name, Value value, ArrayRef<int64_t> expected) {
  if (!value)
    return success();
  if (tensorOf(value).getShape() != expected)
    return emitOptionalError(loc, name, " has shape [", tensorOf(value).getShape(), "], expected [", expected, "]");
  return checkSameElementType(loc, "x", x, name, value);
}

namespace {
/// Sizes of a recurrent layer: steps, batch, inputs, hidden units, directions.
struct Sizes {
  int64_t steps, batch, inputs, hidden, directions;
};
} // namespace

template <typename AdaptorTy>
static FailureOr<Sizes> checkLayer(OptionalLoc loc, AdaptorTy adaptor, int64_t gates, bool bidirectional) {
  auto x = tensorOf(adaptor.getX()).getShape(), recurrent = tensorOf(adaptor.getWeightHh()).getShape();
  if (x.size() != 3)
    return emitOptionalError(loc, "x has rank ", x.size(), ", expected 3: [S, B, I]");
  StringRef direction = adaptor.getDirection();
  if (direction != "forward" && direction != "reverse" && !(bidirectional && direction == "bidirectional"))
    return emitOptionalError(loc, "direction is '", direction, "', expected forward",
                             bidirectional ? ", reverse or bidirectional" : " or reverse");
  if (recurrent.size() != 2 || recurrent[0] != gates * recurrent[1])
    return emitOptionalError(loc, "weight_hh has shape [", recurrent, "], expected [", gates, " H, H]");
  Sizes sizes{x[0], x[1], x[2], recurrent[1], direction == "bidirectional" ? 2 : 1};
  Value xValue = adaptor.getX();
  if (failed(checkShape(loc, xValue, "weight_ih", adaptor.getWeightIh(), {gates * sizes.hidden, sizes.inputs})) ||
      failed(checkShape(loc, xValue, "weight_hh", adaptor.getWeightHh(), {gates * sizes.hidden, sizes.hidden})) ||
      failed(checkShape(loc, xValue, "bias", adaptor.getBias(), {gates * sizes.hidden})) ||
      failed(
          checkShape(loc, xValue, "initial_h", adaptor.getInitialH(), {sizes.batch, sizes.directions * sizes.hidden})))
    return failure();
  return sizes;
}

/// y, h and, if `cell`, c.
static void pushResults(Value x, Sizes sizes, bool outputSequence, bool cell, Types &types) {
  int64_t width = sizes.directions * sizes.hidden;
  Type element = tensorOf(x).getElementType();
  types.push_back(RankedTensorType::get({outputSequence ? sizes.steps : 1, sizes.batch, width}, element));
  types.append(cell ? 2 : 1, RankedTensorType::get({sizes.batch, width}, element));
}

/// Two products per gate, step and batch item.
template <typename OpTy>
static int64_t countFlops(OpTy op) {
  auto x = op.getX().getType().getShape();
  int64_t weights = op.getWeightIh().getType().getNumElements() + op.getWeightHh().getType().getNumElements();
  return 2 * x[0] * x[1] * weights * (op.getDirection() == "bidirectional" ? 2 : 1);
}

LogicalResult RnnOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto sizes = checkLayer(loc, adaptor, /*gates=*/1, /*bidirectional=*/false);
  if (failed(sizes))
    return failure();
  pushResults(adaptor.getX(), *sizes, adaptor.getOutputSequence(), /*cell=*/false, types);
  return success();
}

LogicalResult GruOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto sizes = checkLayer(loc, adaptor, /*gates=*/3, /*bidirectional=*/false);
  if (failed(sizes) ||
      failed(checkShape(loc, adaptor.getX(), "input_bias", adaptor.getInputBias(), {3 * sizes->hidden})))
    return failure();
  pushResults(adaptor.getX(), *sizes, adaptor.getOutputSequence(), /*cell=*/false, types);
  return success();
}

LogicalResult LstmOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto sizes = checkLayer(loc, adaptor, /*gates=*/4, /*bidirectional=*/true);
  if (failed(sizes))
    return failure();
  Value x = adaptor.getX();
  int64_t hidden = sizes->hidden;
  bool both = sizes->directions == 2;
  if (both != bool(adaptor.getWeightIhBack()) || both != bool(adaptor.getWeightHhBack()))
    return emitOptionalError(loc, "weight_ih_back and weight_hh_back belong to direction bidirectional, which is '",
                             adaptor.getDirection(), "'");
  if (!both && (adaptor.getBiasBack() || adaptor.getPeepholeBack()))
    return emitOptionalError(loc, "bias_back and peephole_back belong to direction bidirectional, which is '",
                             adaptor.getDirection(), "'");
  if (failed(checkShape(loc, x, "initial_c", adaptor.getInitialC(), {sizes->batch, sizes->directions * hidden})) ||
      failed(checkShape(loc, x, "peephole", adaptor.getPeephole(), {3 * hidden})) ||
      failed(checkShape(loc, x, "weight_ih_back", adaptor.getWeightIhBack(), {4 * hidden, sizes->inputs})) ||
      failed(checkShape(loc, x, "weight_hh_back", adaptor.getWeightHhBack(), {4 * hidden, hidden})) ||
      failed(checkShape(loc, x, "bias_back", adaptor.getBiasBack(), {4 * hidden})) ||
      failed(checkShape(loc, x, "peephole_back", adaptor.getPeepholeBack(), {3 * hidden})))
    return failure();
  pushResults(x, *sizes, adaptor.getOutputSequence(), /*cell=*/true, types);
  return success();
}

int64_t RnnOp::getFlops() { return countFlops(*this); }
int64_t GruOp::getFlops() { return countFlops(*this); }
int64_t LstmOp::getFlops() { return countFlops(*this); }
