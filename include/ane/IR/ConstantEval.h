//===- ConstantEval.h - values of constant expressions ---------*- C++ -*-===//
//
// Evaluates pure ops on `ane.const`. Bytes of mapped weight files are read in place; each op that moves or changes data
// makes one buffer, which dies with its last reader. Ops that weights rarely see go through the folder of small
// constants (ConstantFold.h), which copies.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_CONSTANTEVAL_H
#define ANE_IR_CONSTANTEVAL_H

#include "ane/IR/ANE.h"
#include <optional>

namespace mlir::ane {

/// The elements of a tensor, row-major and little-endian, a whole number of bytes each: i1 and types of less than a
/// byte stand in the low bits of one, whose others are 0, as in DenseElementsAttr. Weight files pack them.
class ConstantBuffer {
public:
  ConstantBuffer() = default;
  /// Bytes that somebody else keeps alive (a mapped file, an attribute).
  ConstantBuffer(RankedTensorType type, ArrayRef<char> bytes) : type(type), view(bytes) {}
  /// Uninitialised bytes of its own.
  static ConstantBuffer allocate(RankedTensorType type);

  RankedTensorType getType() const { return type; }
  ArrayRef<char> bytes() const { return owned ? ArrayRef<char>(owned.get(), size) : view; }
  MutableArrayRef<char> mutableBytes() { return {owned.get(), size}; }
  /// The same bytes as another shape.
  ConstantBuffer withShape(ArrayRef<int64_t> shape) &&;

private:
  RankedTensorType type;
  ArrayRef<char> view;
  std::shared_ptr<char[]> owned;
  size_t size = 0;
};

/// The value of an expression whose last steps, a cast and movements, are computed while it is read: of a large
/// weight only a part of a few hundred kilobytes is in memory. Reads no IR and may be used on any thread.
class ConstantStream {
public:
  /// `source`, as `order` sees it (nothing: as it is), up to its shape, and converted to the elements of `type`, by
  /// `cast` if it is not null.
  ConstantStream(ConstantBuffer source, RankedTensorType type, std::optional<StridedView> order, CastOp cast);

  RankedTensorType getType() const { return type; }
  /// Calls `sink` with the bytes of the value, part by part, until it returns false; returns whether it never did.
  bool read(function_ref<bool(ArrayRef<char>)> sink) const;
  /// All bytes.
  ConstantBuffer evaluate() const;

private:
  ConstantBuffer source;
  RankedTensorType type;
  /// Of the source's elements in the order of the value; nothing: in their own.
  std::optional<StridedView> view;
  bool converts;
  std::optional<float> overflow;
};

/// Bytes of one element of `type` in memory; 1 for types of less than a byte.
unsigned elementBytes(Type type);

/// The least magnitude that rounds to an infinity in fp16.
constexpr double halfOverflow = 65520;

/// The least magnitude that fp16 holds; from half of it on numbers are rounded to it.
constexpr double smallestHalf = 0x1p-24;

/// The least magnitude that fp16 holds with all its bits.
constexpr double smallestNormalHalf = 0x1p-14;

/// Whether there is a rule for the op on constants. What has none is computed at run time.
bool canEvaluate(Operation *op);

/// The value of a constant expression. Emits an error at the op that can't be evaluated or whose weight can't be read.
FailureOr<ConstantBuffer> evaluateConstant(Value value);

/// The same as kernels have it while they compute: what is computed in halves is held in fp32, and not rounded.
FailureOr<ConstantBuffer> evaluateUnrounded(Value value);

/// Whether that is more than the elements of `value` hold: whether they are halves that an expression computes.
bool isUnrounded(Value value);

/// The value for reading part by part.
FailureOr<ConstantStream> streamConstant(Value value);

/// The value as an attribute, for data of a few elements.
FailureOr<DenseElementsAttr> evaluateToAttribute(Value value);

} // namespace mlir::ane

#endif // ANE_IR_CONSTANTEVAL_H
