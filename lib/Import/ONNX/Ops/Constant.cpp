//===- Constant.cpp - ONNX constants, shapes as data, casts ---------------===//

#include "../../ConstantEvaluator.h"
#include "../Expr.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

static void constant(NodeBinder &n) {
  Builder &b = n.builder;
  TypedAttr value;
  if (n.hasAttr("value"))
    value = n.tensorAttr("value");
  else if (n.hasAttr("sparse_value"))
    value = n.sparseTensorAttr("sparse_value");
  else if (n.hasAttr("value_float"))
    value = DenseElementsAttr::get(RankedTensorType::get({}, b.getF32Type()), float(n.floatAttr("value_float")));
  else if (n.hasAttr("value_int"))
    value = DenseElementsAttr::get(RankedTensorType::get({}, b.getI64Type()), n.intAttr("value_int"));
  else if (auto ints = n.intsAttr("value_ints"))
    return n.result(0, n.intsConstant(*ints));
  else if (auto floats = n.floatsAttr("value_floats")) {
    SmallVector<float> elements(floats->begin(), floats->end());
    auto type = RankedTensorType::get({int64_t(elements.size())}, b.getF32Type());
    value = elements.empty() ? DenseElementsAttr::get(type, ArrayRef<Attribute>())
                             : DenseElementsAttr::get(type, ArrayRef(elements));
  } else {
    return n.error("needs one of the attributes value, sparse_value, value_float, value_floats, value_int, value_ints; "
                   "strings are not supported");
  }
  n.result(0, n.constant(value));
}

static void constantOfShape(NodeBinder &n) {
  SmallVector<int64_t> dims = n.ints(0, "input");
  TypedAttr value = n.hasAttr("value") ? n.tensorAttr("value") : n.builder.getF32FloatAttr(0);
  if (!n)
    return;
  Attribute element = value;
  Type elementType = value.getType();
  if (auto dense = llvm::dyn_cast<DenseElementsAttr>(value)) {
    if (dense.getNumElements() != 1)
      return n.error("attribute 'value' must have one element");
    element = *dense.value_begin<Attribute>();
    elementType = dense.getElementType();
  }
  int64_t elements = 1;
  for (int64_t dim : dims) {
    if (dim < 0 || (dim != 0 && elements > maxModelElements / dim))
      return n.error("dimension " + Twine(dim) + " is negative or too large");
    elements *= std::max<int64_t>(dim, 1);
  }
  auto type = RankedTensorType::get(dims, elementType);
  n.result(0, n.constant(type.getNumElements() ? DenseElementsAttr::get(type, element)
                                               : DenseElementsAttr::get(type, ArrayRef<Attribute>())));
}

static void identity(NodeBinder &n) { n.result(0, n.anyInput(0)); }

/// In inference `Dropout` passes its input on, and its mask keeps everything.
static void dropout(NodeBinder &n) {
  Value x = n.input(0);
  n.ignoreAttr("ratio");
  n.ignoreAttr("seed");
  if (n.since() < 7)
    n.ignoreAttr("is_test");
  (void)n.optionalInput(1);
  // A ratio of 0 drops nothing in training, either.
  if (n.since() >= 12 && n.hasInput(2) && n.intScalar(2, "training_mode") != 0 &&
      (!n.hasInput(1) || n.floatScalar(1, "ratio") != 0))
    return n.error("training_mode is true; only inference is supported");
  if (!n)
    return;
  n.result(0, x);
  if (n.wantsResult(1)) {
    Type element = n.since() < 10 ? n.elementType(x) : Type(n.builder.getI1Type());
    n.result(1, n.splat(RankedTensorType::get(n.shape(x), element), 1));
  }
}

static void shape(NodeBinder &n) {
  Value x = n.input(0);
  int64_t start = n.intAttr("start", 0);
  std::optional<int64_t> end;
  if (n.hasAttr("end"))
    end = n.intAttr("end");
  if (!n)
    return;
  int64_t rank = n.rank(x);
  int64_t first = clampBound(start, 1, rank), last = end ? clampBound(*end, 1, rank) : rank;
  n.result(0, n.intsConstant(n.shape(x).slice(first, std::max<int64_t>(last - first, 0))));
}

static void size(NodeBinder &n) {
  Value x = n.input(0);
  if (!n)
    return;
  auto type = RankedTensorType::get({}, n.builder.getI64Type());
  n.result(0, n.constant(DenseElementsAttr::get(type, n.type(x).getNumElements())));
}

static void castTo(NodeBinder &n) {
  Value x = n.input(0);
  int64_t to = n.intAttr("to");
  // Both say how float8 values are rounded; those types can't be cast to here.
  n.ignoreAttr("saturate");
  n.ignoreAttr("round_mode");
  if (!n)
    return;
  Type element = elementType(int32_t(to), n.builder.getContext());
  if (!element)
    return n.error("attribute 'to': elements of type " + dataTypeName(int32_t(to)) + " are not supported");
  n.result(0, n.cast(x, element));
}

static void castLike(NodeBinder &n) {
  Value x = n.input(0), like = n.input(1);
  n.ignoreAttr("saturate");
  n.ignoreAttr("round_mode");
  if (n)
    n.result(0, n.cast(x, n.elementType(like)));
}

/// start + i delta, for as many as lie before limit. The number of elements is part of the type, so all three must be
/// known, and the result is a constant.
static void range(NodeBinder &n) {
  Value start = n.input(0);
  if (n.since() >= 27)
    n.requireAttr("stash_type", 1, 1); // f32 for the short float types; more precise here.
  if (!n)
    return;
  Type element = n.elementType(start);
  SmallVector<Attribute> values;
  RankedTensorType type;
  auto checkCount = [&](double count, bool zeroStep) {
    if (zeroStep || !(count <= maxListElements))
      n.error(zeroStep ? "delta is 0" : "has more than 2^20 elements");
    type = n ? n.constantType({int64_t(std::max(count, 0.0))}, element) : nullptr;
    return bool(n);
  };
  if (isa<FloatType>(element)) {
    double first = n.floatScalar(0, "start"), limit = n.floatScalar(1, "limit"), step = n.floatScalar(2, "delta");
    double count = std::ceil((limit - first) / step);
    if (!n || !checkCount(count, step == 0))
      return;
    for (int64_t i = 0; i < int64_t(count); ++i)
      values.push_back(FloatAttr::get(element, first + double(i) * step));
  } else {
    int64_t first = n.intScalar(0, "start"), limit = n.intScalar(1, "limit"), step = n.intScalar(2, "delta");
    double count = std::ceil((double(limit) - double(first)) / double(step));
    if (!n || !checkCount(count, step == 0))
      return;
    for (int64_t i = 0; i < int64_t(count); ++i)
      values.push_back(IntegerAttr::get(element, int64_t(uint64_t(first) + uint64_t(i) * uint64_t(step))));
  }
  n.result(0, n.constant(DenseElementsAttr::get(type, values)));
}

static void eyeLike(NodeBinder &n) {
  Value x = n.input(0);
  int64_t diagonal = n.intAttr("k", 0);
  Type element = x ? n.elementType(x) : Type();
  if (n.hasAttr("dtype"))
    element = elementType(int32_t(n.intAttr("dtype")), n.builder.getContext());
  if (!n)
    return;
  if (!element || n.rank(x) != 2)
    return n.error("needs a matrix and a type that is supported, has rank " + Twine(n.rank(x)));
  n.result(0, table(n, n.shape(x), element, [&](ArrayRef<int64_t> at) { return at[1] - at[0] == diagonal; }));
}

void mlir::ane::onnx_import::registerConstantOps(Registry &registry) {
  registry.onOp("", "Cast", {6, 9, 13, 19, 21, 23, 24, 25, 28}, castTo);
  registry.onOp("", "CastLike", {15, 19, 21, 23, 24, 25}, castLike);
  registry.onOp("", "Constant", {1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, constant);
  registry.onOp("", "ConstantOfShape", {9, 20, 21, 23, 24, 25}, constantOfShape);
  registry.onOp("", "Dropout", {6, 7, 10, 12, 13, 22}, dropout);
  registry.onOp("", "EyeLike", {9, 22}, eyeLike);
  registry.onOp("", "Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, identity);
  registry.onOp("", "Range", {11, 27}, range);
  registry.onOp("", "Shape", {1, 13, 15, 19, 21, 23, 24, 25}, shape);
  registry.onOp("", "Size", {1, 13, 19, 21, 23, 24, 25}, size);
}
