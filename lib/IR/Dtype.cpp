//===- Dtype.cpp - MIL's names of element types ---------------------------===//

#include "ane/IR/Dtype.h"

using namespace mlir;

std::string mlir::ane::getDtypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.isSignless() && integer.getWidth() == 1)
      return "bool";
    return (integer.isUnsigned() ? "uint" : "int") + std::to_string(integer.getWidth());
  }
  if (type.isBF16())
    return "bf16";
  if (type.isF16() || type.isF32() || type.isF64())
    return "fp" + std::to_string(type.getIntOrFloatBitWidth());
  return "";
}

Type mlir::ane::parseDtypeName(MLIRContext *context, StringRef name) {
  if (name == "bool")
    return IntegerType::get(context, 1);
  if (name == "bf16")
    return FloatType::getBF16(context);
  if (name == "fp16")
    return FloatType::getF16(context);
  if (name == "fp32")
    return FloatType::getF32(context);
  if (name == "fp64")
    return FloatType::getF64(context);
  bool isUnsigned = name.consume_front("u");
  unsigned width = 0;
  if (!name.consume_front("int") || name.getAsInteger(10, width))
    return nullptr;
  // MIL's sub-byte integers are those of compressed constants (coreml-mlprogram.md 3).
  if (!llvm::is_contained({1u, 2u, 3u, 4u, 6u, 8u, 16u, 32u, 64u}, width) || (!isUnsigned && width < 4) ||
      (!isUnsigned && width == 6))
    return nullptr;
  return IntegerType::get(context, width, isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
}

FailureOr<Type> mlir::ane::parseDtypeName(MLIRContext *context, StringRef name, std::optional<Location> loc,
                                          StringRef argument) {
  if (Type type = parseDtypeName(context, name))
    return type;
  return emitOptionalError(loc, argument, " is '", name,
                           "', which is no element type: fp16, fp32, fp64, bf16, bool, int8, int16, int32, int64, "
                           "uint8, uint16, uint32 and uint64 are");
}

std::optional<::ane::rt::ElementType> mlir::ane::elementTypeOf(Type type) {
  return ::ane::rt::elementTypeFromName(getDtypeName(type));
}
