//===- Dtype.h - MIL's names of element types ------------------*- C++ -*-===//
#ifndef ANE_IR_DTYPE_H
#define ANE_IR_DTYPE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "runtime/support/element_type.h"
#include <optional>

namespace mlir::ane {

/// MIL's name of an element type (`fp16`, `int32`, `bool`, `uint4`, ...), in the same fashion for types that only the
/// host has (`fp64`, `int64`, `bf16`). Signed integers are signless in the IR, unsigned ones `uiN`. Empty if `type` is
/// no element type.
std::string getDtypeName(Type type);

/// The inverse; null if the name is unknown.
Type parseDtypeName(MLIRContext *context, StringRef name);

/// The same with an error that lists the names.
FailureOr<Type> parseDtypeName(MLIRContext *context, StringRef name, std::optional<Location> loc, StringRef argument);

/// The element type as the bundle's formats have it; nothing for one that they lack.
std::optional<::ane::rt::ElementType> elementTypeOf(Type type);

} // namespace mlir::ane

#endif // ANE_IR_DTYPE_H
