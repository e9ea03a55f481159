//===- Emission.cpp - ops that many handlers emit -------------------------===//

#include "NodeBinder.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// MIL's name of an element type; the 64-bit and bf16 names are the dialect's own (host only).
static StringRef milTypeName(Type element) {
  if (auto integer = llvm::dyn_cast<IntegerType>(element)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return "bool";
    case 8:
      return isUnsigned ? "uint8" : "int8";
    case 16:
      return isUnsigned ? "uint16" : "int16";
    case 32:
      return isUnsigned ? "uint32" : "int32";
    case 64:
      return isUnsigned ? "uint64" : "int64";
    default:
      return "";
    }
  }
  return element.isF16()    ? "fp16"
         : element.isF32()  ? "fp32"
         : element.isF64()  ? "fp64"
         : element.isBF16() ? "bf16"
                            : "";
}

Value NodeBinder::cast(Value value, Type element) {
  if (!*this || !value || elementType(value) == element)
    return value;
  StringRef name = milTypeName(element);
  // Elements of 4 bits are those of constants, which are expanded when the bundle is written.
  bool isPacked =
      elementType(value).isInteger() && elementType(value).getIntOrFloatBitWidth() == 4 && isConstantExpr(value);
  if (name.empty() || (milTypeName(elementType(value)).empty() && !isPacked)) {
    std::string text;
    llvm::raw_string_ostream(text) << "a conversion from " << elementType(value) << " to " << element
                                   << " is not supported";
    error(text);
    return nullptr;
  }
  return emit<CastOp>({value}, {{"dtype", name}});
}

Value NodeBinder::reshape(Value value, ArrayRef<int64_t> newShape) {
  if (!*this || !value || shape(value) == newShape)
    return value;
  return emit<ReshapeOp>({value}, {{"shape", newShape}});
}

Value NodeBinder::transpose(Value value, ArrayRef<int64_t> perm) {
  bool isIdentity = true;
  for (size_t i = 0; i < perm.size(); ++i)
    isIdentity &= perm[i] == int64_t(i);
  return isIdentity ? value : emit<TransposeOp>({value}, {{"perm", perm}});
}

Value NodeBinder::take(Value value, int64_t axis, int64_t index) {
  if (!*this || !value)
    return nullptr;
  SmallVector<int64_t> begin(rank(value), 0), end(shape(value));
  SmallVector<bool> squeeze(rank(value), false);
  begin[axis] = index;
  end[axis] = index + 1;
  squeeze[axis] = true;
  return emit<SliceByIndexOp>({value}, {{"begin", ArrayRef<int64_t>(begin)},
                                        {"end", ArrayRef<int64_t>(end)},
                                        {"squeeze_mask", ArrayRef<bool>(squeeze)}});
}

Value NodeBinder::broadcast(Value value, ArrayRef<int64_t> newShape) {
  if (!*this || !value || shape(value) == newShape)
    return value;
  ArrayRef<int64_t> old = shape(value);
  SmallVector<int64_t> aligned(newShape.size() - old.size(), 1), reps;
  llvm::append_range(aligned, old);
  for (auto [from, to] : llvm::zip(aligned, newShape))
    reps.push_back(from == to ? 1 : to);
  if (llvm::is_contained(reps, 0))
    return splat(RankedTensorType::get(newShape, elementType(value)), 0);
  return emit<TileOp>({reshape(value, aligned)}, {{"reps", ArrayRef<int64_t>(reps)}});
}

Value NodeBinder::legacyBroadcast(Value x, Value y) {
  if (since() >= 7 || !boolAttr("broadcast", false) || !*this)
    return y;
  int64_t first = rank(x) - rank(y);
  if (hasAttr("axis"))
    first = axis(intAttr("axis"), rank(x));
  if (first < 0 || first + rank(y) > rank(x)) {
    error("attribute 'axis' is " + Twine(first) + " for operands of rank " + Twine(rank(x)) + " and " + Twine(rank(y)));
    return y;
  }
  SmallVector<int64_t> wide(shape(y));
  wide.resize(rank(x) - first, 1);
  return reshape(y, wide);
}
