//===- Convert.h - types and literals, both ways ---------------*- C++ -*-===//
#ifndef ANE_LIB_TARGET_MIL_CONVERT_H
#define ANE_LIB_TARGET_MIL_CONVERT_H

#include "ane/IR/ANE.h"
#include "ane/Target/MIL/MIL.h"
#include "runtime/format/mil/ast.h"

namespace mlir::ane::mil {

namespace text = ::ane::rt::mil;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// `tensor<fp16, [1, 2]>`; rank 0 in the long form. MIL has no 64-bit and no bf16 tensors (coreml-mlprogram.md 2).
FailureOr<text::Type> toText(Type type, EmitError emitError);
FailureOr<RankedTensorType> fromText(const text::Type &type, MLIRContext *context, EmitError emitError);

/// Elements of a constant.
FailureOr<text::Value> toText(DenseElementsAttr value, EmitError emitError);
FailureOr<DenseElementsAttr> fromText(const text::Value &value, RankedTensorType type, EmitError emitError);

/// A compile-time parameter. Floats are spelled in `floatType`.
FailureOr<text::Value> toText(Attribute value, ::ane::rt::ElementType floatType, EmitError emitError);
FailureOr<Attribute> fromText(const text::Value &value, MILArgumentKind kind, MLIRContext *context,
                              EmitError emitError);

/// "string", "list of integers", ...: what an argument of this kind takes.
llvm::StringRef describe(MILArgumentKind kind);

} // namespace mlir::ane::mil

#endif // ANE_LIB_TARGET_MIL_CONVERT_H
