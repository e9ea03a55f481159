//===- Arguments.cpp - arguments unlike the others ------------------------===//

#include "Custom.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::mil;

namespace {
/// An argument that coremltools' definition of the operation has only from `since` on.
struct LateArgument {
  const char *op, *argument;
  Opset since;
};
} // namespace

// Of what is newer than ios16, the oldest opset that is written (coremltools 9.0, SSAOpRegistry).
static constexpr LateArgument lateArguments[] = {
    {"gather", "validate_indices", Opset::ios17},
    {"gather_along_axis", "validate_indices", Opset::ios17},
    {"gather_nd", "validate_indices", Opset::ios17},
    {"scatter", "validate_indices", Opset::ios17},
    {"scatter_along_axis", "validate_indices", Opset::ios17},
    {"scatter_nd", "validate_indices", Opset::ios17},
    {"reduce_argmax", "output_dtype", Opset::ios17},
    {"reduce_argmin", "output_dtype", Opset::ios17},
    {"topk", "output_indices_dtype", Opset::ios17},
};

FailureOr<bool> mlir::ane::mil::isSpelled(MILSpellingOpInterface op, const MILArgument &argument, Opset opset) {
  Attribute value = op->getAttr(argument.name);
  if (!value)
    return false;
  for (const LateArgument &late : lateArguments) {
    if (late.op != op.getMILName() || late.argument != StringRef(argument.name) || opset >= late.since)
      continue;
    // `false` is what older opsets do.
    if (value == BoolAttr::get(op->getContext(), false))
      return false;
    return op->emitOpError() << "argument '" << argument.name << "' needs opset " << stringifyOpset(late.since)
                             << ", the program is written for " << stringifyOpset(opset);
  }
  return true;
}

::ane::rt::ElementType mlir::ane::mil::floatTypeOf(MILSpellingOpInterface op, const MILArgument &argument) {
  using ::ane::rt::ElementType;
  // The only number that does not follow the data (coremltools 9.0).
  if (op.getMILName() == "crop_resize" && StringRef(argument.name) == "spatial_scale")
    return ElementType::Float32;
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && isa<FloatType>(tensor.getElementType()))
        return elementTypeFor(tensor.getElementType()).value_or(ElementType::Float32);
  return ElementType::Float32;
}
