//===- EmptyTensors.cpp - ops on tensors without elements -----------------===//
//
// They are replaced as they are emitted: no later pass, and no engine, need know tensors that hold nothing.
//
//===----------------------------------------------------------------------===//

#include "NodeBinder.h"
#include "ane/Support/Saturate.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

static bool isEmpty(Value value) {
  auto type = llvm::dyn_cast<RankedTensorType>(value.getType());
  return type && type.getNumElements() == 0;
}

static Value emptyConstant(OpBuilder &builder, Location loc, Type type) {
  return builder.create<ConstOp>(loc, DenseElementsAttr::get(cast<RankedTensorType>(type), ArrayRef<Attribute>()));
}

/// What a reduction or product over nothing gives.
static std::optional<double> neutralElement(Operation *op) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return llvm::TypeSwitch<Operation *, std::optional<double>>(op)
      .Case<ReduceSumOp, ReduceL1NormOp, ReduceL2NormOp, ReduceSumSquareOp, MatmulOp>([](auto) { return 0.0; })
      .Case<ReduceProdOp>([](auto) { return 1.0; })
      .Case<ReduceMaxOp, ReduceLogSumOp, ReduceLogSumExpOp>([=](auto) { return -infinity; })
      .Case<ReduceMinOp>([=](auto) { return infinity; })
      .Case<ReduceMeanOp>([](auto) { return std::numeric_limits<double>::quiet_NaN(); })
      .Case<PadOp>([](PadOp pad) { return pad.getConstantVal().convertToDouble(); })
      .Default([](Operation *) { return std::nullopt; });
}

static Value filled(OpBuilder &builder, Location loc, RankedTensorType type, double value) {
  Attribute element;
  if (auto integer = llvm::dyn_cast<IntegerType>(type.getElementType())) {
    unsigned width = integer.getWidth();
    bool isSigned = !integer.isUnsigned() && width > 1;
    APInt bits(width, saturatingInt(value), /*isSigned=*/true);
    if (std::isinf(value) && isSigned)
      bits = value < 0 ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width);
    else if (std::isinf(value) && value > 0)
      bits = APInt::getMaxValue(width);
    element = IntegerAttr::get(integer, bits);
  } else {
    element = FloatAttr::get(type.getElementType(), value);
  }
  return builder.create<ConstOp>(loc, DenseElementsAttr::get(type, element));
}

std::optional<SmallVector<Value>> NodeBinder::withoutEmptyTensors(Operation *op) {
  SmallVector<Value> results(op->getResults());
  bool reads = llvm::any_of(op->getOperands(), isEmpty), writes = llvm::any_of(results, isEmpty);
  if (!reads && !writes)
    return std::nullopt;
  if (writes) {
    for (Value &result : results)
      if (isEmpty(result))
        result = emptyConstant(builder, loc, result.getType());
    return results;
  }
  auto type = llvm::cast<RankedTensorType>(op->getResult(0).getType());
  if (auto concat = llvm::dyn_cast<ConcatOp>(op)) {
    SmallVector<Value> parts;
    llvm::copy_if(concat.getValues(), std::back_inserter(parts), [](Value value) { return !isEmpty(value); });
    Segment rest{ArrayRef<Value>(parts)};
    return SmallVector<Value>{parts.size() == 1 ? parts[0]
                                                : emit<ConcatOp>({rest}, {{"axis", int64_t(concat.getAxis())}})};
  }
  if (isa<ScatterOp, ScatterAlongAxisOp, ScatterNdOp>(op))
    return SmallVector<Value>{op->getOperand(0)};
  if (auto value = neutralElement(op))
    return SmallVector<Value>{filled(builder, loc, type, *value)};
  error(op->getName().getStringRef() + " can't read a tensor without elements");
  return SmallVector<Value>(op->getNumResults());
}
