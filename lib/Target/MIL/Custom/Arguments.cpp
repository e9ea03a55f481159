//===- Arguments.cpp - arguments unlike the others ------------------------===//

#include "Custom.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::mil;
using ::ane::rt::ElementType;

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

namespace {
/// How a parameter is spelled that is not like the others of its kind.
enum class Spelling {
  Usual,
  Fp32,      // a number, whatever the data are
  UInt32,    // an integer
  Pairs,     // a list as a matrix [n / 2, 2]
  Tuple,     // a list as a tuple of scalars
  Saturated, // a list of bounds: int32 is as far as any axis reaches
};
struct SpellingRow {
  const char *op, *argument;
  Spelling spelling;
};
} // namespace

// Type domains of coremltools 9.0 (SSAOpRegistry) that differ from "int32, bool, or the element type of the data".
static constexpr SpellingRow spellings[] = {
    {"crop_resize", "spatial_scale", Spelling::Fp32},
    {"resize", "resized_dims", Spelling::UInt32},
    {"pixel_unshuffle", "downscale_factor", Spelling::UInt32},
    {"batch_to_space", "crops", Spelling::Pairs},
    {"space_to_batch", "paddings", Spelling::Pairs},
    {"reshape_like", "begins", Spelling::Tuple},
    {"reshape_like", "ends", Spelling::Tuple},
    {"reshape_like", "end_masks", Spelling::Tuple},
    {"slice_by_index", "begin", Spelling::Saturated},
    {"slice_by_index", "end", Spelling::Saturated},
    {"slice_update", "begin", Spelling::Saturated},
    {"slice_update", "end", Spelling::Saturated},
};

static Spelling spellingOf(MILSpellingOpInterface op, const MILArgument &argument) {
  for (const SpellingRow &row : spellings)
    if (op.getMILName() == row.op && StringRef(argument.name) == row.argument)
      return row.spelling;
  return Spelling::Usual;
}

/// As a rule the element type of the data that the parameter meets.
static ElementType floatTypeOf(Operation *op) {
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && isa<FloatType>(tensor.getElementType()))
        return elementTypeFor(tensor.getElementType()).value_or(ElementType::Float32);
  return ElementType::Float32;
}

FailureOr<text::Value> mlir::ane::mil::parameterValue(MILSpellingOpInterface op, const MILArgument &argument) {
  auto emitError = [&] { return op->emitOpError() << "argument '" << argument.name << "': "; };
  Spelling spelling = spellingOf(op, argument);
  Attribute attribute = op->getAttr(argument.name);
  auto list = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (spelling == Spelling::Saturated && list) {
    auto saturated = llvm::map_to_vector(list.asArrayRef(), [](int64_t bound) {
      return std::clamp<int64_t>(bound, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
    });
    attribute = DenseI64ArrayAttr::get(op->getContext(), saturated);
  }
  FailureOr<text::Value> value =
      toText(attribute, spelling == Spelling::Fp32 ? ElementType::Float32 : floatTypeOf(op), emitError);
  if (failed(value))
    return failure();
  if (spelling == Spelling::UInt32) {
    if (value->ints.front() < 0)
      return emitError() << value->ints.front() << " is negative";
    value->type.dtype = ElementType::UInt32;
  } else if (spelling == Spelling::Pairs) {
    value->type.dims = {value->type.dims.front() / 2, 2};
  } else if (spelling == Spelling::Tuple) {
    std::vector<text::Value> items;
    for (int64_t item : value->ints)
      items.push_back(text::Value::integers(text::Type::tensor(value->type.dtype, {}), {item}));
    return text::Value::tuple(std::move(items));
  }
  return value;
}
