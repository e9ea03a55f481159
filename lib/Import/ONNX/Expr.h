//===- Expr.h - formulas of handlers ---------------------------*- C++ -*-===//
//
// `Expr` lets a handler that spells an op with others read like its formula: `(x - mean) * scale + 1.0` emits the ops.
// Numbers take the element type of the value beside them, operands broadcast. After an error nothing is emitted any
// more.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_ONNX_EXPR_H
#define ANE_LIB_IMPORT_ONNX_EXPR_H

#include "NodeBinder.h"

namespace mlir::ane::onnx_import {

class Expr {
public:
  Expr(NodeBinder &n, Value value) : n(&n), value(value) {}
  operator Value() const { return value; }
  NodeBinder &binder() const { return *n; }

  Type element() const { return n->elementType(value); }
  Shape shape() const { return n->shape(value); }
  int64_t rank() const { return shape().size(); }
  Expr number(double v) const { return {*n, *n && value ? n->scalar(element(), v) : Value()}; }
  Expr cast(Type type) const { return {*n, n->cast(value, type)}; }
  Expr reshape(ArrayRef<int64_t> to) const { return {*n, n->reshape(value, to)}; }
  Expr transpose(ArrayRef<int64_t> perm) const { return {*n, *n ? n->transpose(value, perm) : Value()}; }
  Expr broadcast(ArrayRef<int64_t> to) const { return {*n, n->broadcast(value, to)}; }
  /// With an axis of size 1 at `axis` of the result.
  Expr expand(int64_t axis) const { return make<ExpandDimsOp>({}, {{"axes", ArrayRef<int64_t>(axis)}}); }
  /// `count` indices of `axis` from `first`.
  Expr slice(int64_t axis, int64_t first, int64_t count) const {
    SmallVector<int64_t> begin(rank(), 0), size(shape());
    if (axis < 0 || axis >= rank())
      return {*n, Value()};
    begin[axis] = first;
    size[axis] = count;
    return make<SliceBySizeOp>({}, {{"begin", ArrayRef<int64_t>(begin)}, {"size", ArrayRef<int64_t>(size)}});
  }
  /// Index `index` of `axis`, which is dropped.
  Expr at(int64_t axis, int64_t index) const {
    Expr part = slice(axis, index, 1);
    SmallVector<int64_t> rest(part.shape());
    if (!rest.empty())
      rest.erase(rest.begin() + axis);
    return part.reshape(rest);
  }
  template <typename OpTy>
  Expr reduce(ArrayRef<int64_t> axes, bool keepDims) const {
    return make<OpTy>({}, {{"axes", axes}, {"keep_dims", keepDims}});
  }
  /// The op on this value and `more`.
  template <typename OpTy>
  Expr make(ArrayRef<Value> more = {}, ArrayRef<Argument> arguments = {}) const {
    SmallVector<Segment> operands{Segment(value)};
    for (Value operand : more)
      operands.push_back(Segment(operand));
    return {*n, n->emit<OpTy>(operands, arguments)};
  }

private:
  NodeBinder *n;
  Value value;
};

#define ANE_EXPR_BINARY(OPERATOR, OP)                                                                                  \
  inline Expr operator OPERATOR(Expr x, Expr y) { return x.make<OP>({y}); }                                            \
  inline Expr operator OPERATOR(Expr x, double y) { return x.make<OP>({x.number(y)}); }                                \
  inline Expr operator OPERATOR(double x, Expr y) { return y.number(x).make<OP>({y}); }
ANE_EXPR_BINARY(+, AddOp)
ANE_EXPR_BINARY(-, SubOp)
ANE_EXPR_BINARY(*, MulOp)
ANE_EXPR_BINARY(/, RealDivOp)
ANE_EXPR_BINARY(%, ModOp)
ANE_EXPR_BINARY(<, LessOp)
ANE_EXPR_BINARY(<=, LessEqualOp)
ANE_EXPR_BINARY(>, GreaterOp)
ANE_EXPR_BINARY(>=, GreaterEqualOp)
ANE_EXPR_BINARY(==, EqualOp)
#undef ANE_EXPR_BINARY
inline Expr operator&(Expr x, Expr y) { return x.make<LogicalAndOp>({y}); }
inline Expr operator|(Expr x, Expr y) { return x.make<LogicalOrOp>({y}); }
inline Expr operator!(Expr x) { return x.make<LogicalNotOp>(); }
inline Expr operator-(Expr x) { return x.make<NegOp>(); }

inline Expr select(Expr condition, Expr x, Expr y) { return condition.make<SelectOp>({x, y}); }
inline Expr select(Expr condition, Expr x, double y) { return select(condition, x, x.number(y)); }
inline Expr select(Expr condition, double x, Expr y) { return select(condition, y.number(x), y); }
inline Expr maximum(Expr x, Expr y) { return x.make<MaximumOp>({y}); }
inline Expr maximum(Expr x, double y) { return maximum(x, x.number(y)); }
inline Expr minimum(Expr x, Expr y) { return x.make<MinimumOp>({y}); }
inline Expr minimum(Expr x, double y) { return minimum(x, x.number(y)); }
inline Expr clamp(Expr x, double low, double high) { return minimum(maximum(x, low), high); }
inline Expr floor(Expr x) { return x.make<FloorOp>(); }
inline Expr round(Expr x) { return x.make<RoundOp>(); }
inline Expr abs(Expr x) { return x.make<AbsOp>(); }
inline Expr matmul(Expr x, Expr y) { return x.make<MatmulOp>({y}); }

/// The values `first`, `first` + `step`, .. as tensor<count x element>.
Expr iota(NodeBinder &n, int64_t count, Type element, int64_t first = 0, int64_t step = 1);
/// A constant of `shape` whose elements `value` gives for their index, row-major.
Expr table(NodeBinder &n, ArrayRef<int64_t> shape, Type element, function_ref<double(ArrayRef<int64_t>)> value);
Expr join(ArrayRef<Value> values, int64_t axis, NodeBinder &n);

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_EXPR_H
