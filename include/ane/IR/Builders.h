//===- Builders.h - short spellings for building ane ops -------*- C++ -*-===//
#ifndef ANE_IR_BUILDERS_H
#define ANE_IR_BUILDERS_H

#include "ane/IR/ANE.h"
#include "mlir/IR/Builders.h"

namespace mlir::ane {

/// A constant of one element, of rank 0, so that it broadcasts against anything. `value` is rounded to `element`.
Value createScalar(OpBuilder &builder, Location loc, Type element, double value);

/// A constant vector of int64, or of another integer type.
Value createIndices(OpBuilder &builder, Location loc, ArrayRef<int64_t> values, Type element = {});

/// Builds a decomposition: ops at one location, scalars in the element type of a value.
class Composer {
public:
  Composer(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  template <typename OpTy, typename... Args>
  Value make(Args &&...args) {
    return builder.create<OpTy>(loc, std::forward<Args>(args)...);
  }
  Value scalar(Value like, double value) {
    return createScalar(builder, loc, cast<RankedTensorType>(like.getType()).getElementType(), value);
  }

  Value add(Value x, Value y) { return make<AddOp>(x, y); }
  Value sub(Value x, Value y) { return make<SubOp>(x, y); }
  Value mul(Value x, Value y) { return make<MulOp>(x, y); }
  Value div(Value x, Value y) { return make<RealDivOp>(x, y); }
  Value add(Value x, double y) { return add(x, scalar(x, y)); }
  Value mul(Value x, double y) { return mul(x, scalar(x, y)); }
  Value reshape(Value x, ArrayRef<int64_t> shape);
  Value transpose(Value x, ArrayRef<int64_t> perm);
  /// `value` with elements of the type that `like` has.
  Value castLike(Value value, Value like);
  /// Mean over `axes`, which stay with size 1.
  Value mean(Value x, ArrayRef<int64_t> axes);
  /// A per-channel parameter [C] in the shape [C, 1, ...] that broadcasts against x [N, C, D...].
  Value perChannel(Value parameter, Value x);

private:
  OpBuilder &builder;
  Location loc;
};

} // namespace mlir::ane

#endif // ANE_IR_BUILDERS_H
