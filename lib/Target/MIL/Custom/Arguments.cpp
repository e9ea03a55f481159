//===- Arguments.cpp - arguments unlike the others ------------------------===//

#include "Custom.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::mil;
using ::ane::rt::ElementType;

FailureOr<bool> mlir::ane::mil::isSpelled(MILSpellingOpInterface op, const MILArgument &argument, Opset opset) {
  Attribute value = op->getAttr(argument.name);
  if (!value)
    return false;
  if (opset >= argument.since)
    return true;
  // `false` is what older opsets do.
  if (value == BoolAttr::get(op->getContext(), false))
    return false;
  return op->emitOpError() << "argument '" << argument.name << "' needs opset " << stringifyOpset(argument.since)
                           << ", the program is written for " << stringifyOpset(opset);
}

/// As a rule the element type of the data that the parameter meets.
static ElementType floatTypeOf(Operation *op) {
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && isa<FloatType>(tensor.getElementType()))
        return elementTypeFor(tensor.getElementType()).value_or(ElementType::Float32);
  return ElementType::Float32;
}

void mlir::ane::mil::countFromFront(OperationState &state) {
  auto perm = dyn_cast_or_null<DenseI64ArrayAttr>(state.attributes.get("perm"));
  if (!perm)
    return;
  auto axes = llvm::to_vector(perm.asArrayRef());
  for (int64_t &axis : axes)
    if (axis < 0)
      axis += axes.size();
  state.attributes.set("perm", DenseI64ArrayAttr::get(state.getContext(), axes));
}

FailureOr<text::Value> mlir::ane::mil::parameterValue(MILSpellingOpInterface op, const MILArgument &argument) {
  auto emitError = [&] { return op->emitOpError() << "argument '" << argument.name << "': "; };
  Attribute attribute = op->getAttr(argument.name);
  auto list = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (argument.form == MILForm::Bounds && list) {
    auto saturated = llvm::map_to_vector(list.asArrayRef(), [](int64_t bound) {
      return std::clamp<int64_t>(bound, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
    });
    attribute = DenseI64ArrayAttr::get(op->getContext(), saturated);
  }
  FailureOr<text::Value> value =
      toText(attribute, argument.form == MILForm::Fp32 ? ElementType::Float32 : floatTypeOf(op), emitError);
  if (failed(value))
    return failure();
  if (argument.form == MILForm::UInt32) {
    if (value->ints.front() < 0)
      return emitError() << value->ints.front() << " is negative";
    value->type.dtype = ElementType::UInt32;
  } else if (argument.form == MILForm::Pairs) {
    value->type.dims = {value->type.dims.front() / 2, 2};
  } else if (argument.form == MILForm::Tuple) {
    std::vector<text::Value> items;
    for (int64_t item : value->ints)
      items.push_back(text::Value::integers(text::Type::tensor(value->type.dtype, {}), {item}));
    return text::Value::tuple(std::move(items));
  }
  return value;
}
