//===- Performance.cpp - checks on what is slow ---------------------------===//

#include "../ProgramView.h"
#include "ane/IR/ConstantExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ane;

/// Output and input channels of the constant of a product or convolution; 0, 0 if there is none.
static std::pair<int64_t, int64_t> weightOf(Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op)) {
    RankedTensorType y = tensorOf(matmul.getY());
    if (!isConstantExpr(matmul.getY()) || y.getRank() < 2)
      return {0, 0};
    int64_t rows = y.getDimSize(y.getRank() - 2), columns = y.getShape().back();
    return matmul.getTransposeY() ? std::pair(rows, columns) : std::pair(columns, rows);
  }
  Value weight = op->getOperand(1);
  RankedTensorType type = tensorOf(weight);
  if (!isConstantExpr(weight) || !type.getDimSize(0))
    return {0, 0};
  return {type.getDimSize(0), type.getNumElements() / type.getDimSize(0)};
}

namespace mlir::ane {

std::optional<Finding> checkNormReshape(Operation *op, const TargetEnv &) {
  ArrayRef<int64_t> from = tensorOf(op->getOperand(0)).getShape(), to = tensorOf(op->getResult(0)).getShape();
  bool overChannels = from.size() == 4 && to.size() == 4 && from[0] > 1 && from[0] == to[0] && from[1] > 1 &&
                      to[1] == 1 && from[2] == 1 && from[3] == 1;
  if (!overChannels)
    return std::nullopt;
  return Finding{"", "reduces the channels of " + std::to_string(from[0]) + " batches without rows", ""};
}

std::optional<Finding> checkReductionAxis(Operation *op, const TargetEnv &env) {
  int64_t few = env.limit(Limit::ReductionLength), many = env.limit(Limit::ReductionOutputs);
  int64_t outputs = tensorOf(op->getResult(0)).getNumElements();
  int64_t length = tensorOf(op->getOperand(0)).getNumElements() / std::max<int64_t>(outputs, 1);
  if (length > few || length < 2 || outputs < many)
    return std::nullopt;
  return Finding{"", "reduces " + std::to_string(length) + " elements into each of " + std::to_string(outputs), ""};
}

std::optional<Finding> checkWideHidden(Operation *op, const TargetEnv &env) {
  return atMost(tensorOf(cast<ConvOp>(op).getWeight()).getDimSize(1), env.limit(Limit::HiddenChannels),
                "input channels");
}

std::optional<Finding> checkDeepInput(Operation *op, const TargetEnv &env) {
  RankedTensorType weight = tensorOf(cast<ConvOp>(op).getWeight());
  if (weight.getDimSize(0) >= weight.getDimSize(1))
    return std::nullopt;
  return atMost(weight.getDimSize(1), env.limit(Limit::DeepChannels), "input channels");
}

std::optional<Finding> checkOnChipOperand(Operation *op, const TargetEnv &env) {
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    int64_t bytes = tensorOf(value).getNumElements() * 2, limit = env.limit(Limit::OnChipBytes);
    if (bytes > limit && !isConstantExpr(value))
      return atMost(bytes, limit, "bytes of " + operandName(op, i));
  }
  return std::nullopt;
}

std::optional<Finding> checkFlightWeights(Operation *op, const TargetEnv &env) {
  return atMost(ProgramView(op).weightBytes(), env.limit(Limit::FlightWeightBytes), "bytes of weights");
}

std::optional<Finding> checkWeightSlab(Operation *op, const TargetEnv &env) {
  int64_t bad = env.limit(Limit::SlabBytes), margin = env.limit(Limit::SlabMargin);
  auto [outputs, inputs] = weightOf(op);
  int64_t slab = llvm::divideCeil(outputs, env.limit(Limit::Cores)) * inputs * 2;
  int64_t rest = slab % bad;
  if (slab <= bad - margin || std::min(rest, bad - rest) >= margin)
    return std::nullopt;
  return Finding{"bytes of the weight for each core", std::to_string(slab),
                 "at least " + std::to_string(margin) + " away from a multiple of " + std::to_string(bad)};
}

} // namespace mlir::ane
