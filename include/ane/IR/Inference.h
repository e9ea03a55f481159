//===- Inference.h - type inference rules shared by ops --------*- C++ -*-===//
//
// Rules that op records name in `inference` (ANEBase.td), and helpers of the rules that stand in lib/IR/Ops. Every rule
// appends the result types to `types`, or emits an error with actual values and limits at `loc` (if given) and fails.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_INFERENCE_H
#define ANE_IR_INFERENCE_H

#include "ane/IR/ShapeAlgebra.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Region.h"
#include "mlir/IR/ValueRange.h"
#include <optional>

namespace mlir::ane {

using Types = SmallVectorImpl<Type>;

/// The type of a tensor value whose type is known to be a ranked tensor.
inline RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Succeeds if every value is a static ranked tensor. Rules that run from the parser, before the verifier, call it.
LogicalResult checkTensors(OptionalLoc loc, ValueRange values);

/// Fails unless `values` has `count` entries ("begin has 2 entries for rank 3").
LogicalResult checkCount(OptionalLoc loc, StringRef argument, size_t count, int64_t rank);

/// Fails unless both have one element type.
LogicalResult checkSameElementType(OptionalLoc loc, StringRef xName, Value x, StringRef yName, Value y);

/// Fails unless `parameter` (null is fine) has shape [channels].
LogicalResult checkChannels(OptionalLoc loc, StringRef name, Value parameter, int64_t channels);

/// Fills `properties` of an op with its defaults and with `attributes`.
LogicalResult setProperties(OperationName name, OpaqueProperties properties, DictionaryAttr attributes,
                            OptionalLoc loc);

template <typename OpTy>
using PropertiesOf = typename OpTy::Properties;

/// Calls the op's inference with an adaptor whose properties are filled, from `attributes` if need be.
template <typename OpTy>
LogicalResult inferWithProperties(MLIRContext *context, OptionalLoc loc, ValueRange operands, DictionaryAttr attributes,
                                  OpaqueProperties properties, RegionRange regions, Types &types) {
  if constexpr (llvm::is_detected<PropertiesOf, OpTy>::value) {
    if (!properties) {
      typename OpTy::Properties storage{};
      OpaqueProperties filled(&storage);
      if (failed(setProperties(OperationName(OpTy::getOperationName(), context), filled, attributes, loc)))
        return failure();
      return OpTy::inferReturnTypes(context, loc, typename OpTy::Adaptor(operands, attributes, filled, regions), types);
    }
  }
  return OpTy::inferReturnTypes(context, loc, typename OpTy::Adaptor(operands, attributes, properties, regions), types);
}

/// Appends the type of a result; an error if a size is negative or the tensor has more than `maxElements` elements.
LogicalResult pushResult(OptionalLoc loc, Types &types, ArrayRef<int64_t> shape, Type element);

//===-- rules -------------------------------------------------------------===//

/// The result has the type of `x`.
LogicalResult inferSameAs(Value x, Types &types);
/// The same, for ops along an axis.
LogicalResult inferSameWithAxis(OptionalLoc loc, Value x, int64_t axis, Types &types);
/// NumPy broadcast of two operands of one element type.
LogicalResult inferBroadcast(OptionalLoc loc, Value x, Value y, Types &types);
/// The same with bool elements.
LogicalResult inferCompare(OptionalLoc loc, Value x, Value y, Types &types);
/// `x` with `axes` dropped, or of size 1.
LogicalResult inferReduce(OptionalLoc loc, Value x, std::optional<ArrayRef<int64_t>> axes, bool keepDims, Types &types);
/// One axis reduced to an index.
LogicalResult inferReduceArg(OptionalLoc loc, Value x, int64_t axis, bool keepDims, std::optional<StringRef> dtype,
                             Types &types);

} // namespace mlir::ane

#endif // ANE_IR_INFERENCE_H
