//===- GradientBuilder.cpp - what rules build gradients with --------------===//

#include "ane/Autodiff/Autodiff.h"
#include "ane/IR/Inference.h"

using namespace mlir;
using namespace mlir::ane;

void Gradients::add(Value value, Value gradient) {
  assert(gradient.getType() == value.getType() && "a gradient has the type of its value");
  auto [sum, isFirst] = sums.try_emplace(value, gradient);
  if (!isFirst)
    sum->second = builder.create<AddOp>(gradient.getLoc(), sum->second, gradient);
}

void Gradients::walkBack(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
    if (llvm::none_of(op->getResults(), [&](Value result) { return isActive(result) && of(result); }))
      continue;
    GradientBuilder gradientBuilder(*this, op);
    cast<DifferentiableOpInterface>(op).addGradients(gradientBuilder);
  }
}

void mlir::ane::spreadActivity(ArrayRef<Operation *> ops, DenseSet<Value> &active) {
  for (Operation *op : ops) {
    auto rule = dyn_cast<DifferentiableOpInterface>(op);
    if ((rule && rule.getGradientKind() == GradientKind::Constant) ||
        llvm::none_of(op->getOperands(), [&](Value operand) { return active.contains(operand); }))
      continue;
    for (Value result : op->getResults())
      if (isa<FloatType>(getElementTypeOrSelf(result)))
        active.insert(result);
  }
}

void GradientBuilder::through(llvm::function_ref<SmallVector<Value>()> build) {
  Operation *before =
      builder.getInsertionBlock()->empty() || builder.getInsertionPoint() == builder.getInsertionBlock()->begin()
          ? nullptr
          : &*std::prev(builder.getInsertionPoint());
  SmallVector<Value> values = build();
  SmallVector<Operation *> made;
  auto first = before ? std::next(before->getIterator()) : builder.getInsertionBlock()->begin();
  for (Operation &each : llvm::make_range(first, builder.getInsertionPoint()))
    made.push_back(&each);
  spreadActivity(made, gradients.active);
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    if (Value known = gradients.of(result); known && gradients.isActive(value))
      gradients.add(value, known);
  gradients.walkBack(made);
}

Value GradientBuilder::gradient(unsigned number) {
  Value result = op->getResult(number);
  Value known = gradients.of(result);
  return known ? known : zerosLike(result);
}

void GradientBuilder::accumulate(Value operand, Value gradient) {
  if (!wants(operand))
    return;
  ArrayRef<int64_t> shape = tensorOf(operand).getShape();
  gradients.add(operand, castLike(broadcastTo(sumTo(gradient, shape), shape), operand));
}

void GradientBuilder::accumulateInto(Value operand, llvm::function_ref<Value(Value before)> build) {
  if (!wants(operand))
    return;
  Value known = gradients.of(operand);
  gradients.replace(operand, build(known ? known : zerosLike(operand)));
}

//===-- shapes --------------------------------------------------------------===//

Value GradientBuilder::sumTo(Value x, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = tensorOf(x).getShape();
  if (from.size() < shape.size())
    return x;
  // The last axes are those of `shape`.
  int64_t leading = from.size() - shape.size();
  auto axes = llvm::to_vector(llvm::seq<int64_t>(leading));
  SmallVector<int64_t> summed(shape);
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (size == 1 && from[leading + i] != 1)
      axes.push_back(leading + i);
    else
      summed[i] = from[leading + i];
  }
  return reshape(sum(x, axes), summed);
}

Value GradientBuilder::broadcastTo(Value x, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> aligned(shape.size() - tensorOf(x).getRank(), 1), reps;
  llvm::append_range(aligned, tensorOf(x).getShape());
  if (ArrayRef(aligned) == shape)
    return reshape(x, shape);
  for (auto [from, to] : llvm::zip_equal(aligned, shape))
    reps.push_back(from == to ? 1 : to);
  return make<TileOp>(reshape(x, aligned), reps);
}

Value GradientBuilder::constant(RankedTensorType type, ArrayRef<double> elements) {
  SmallVector<Attribute> attributes;
  for (double element : elements)
    attributes.push_back(builder.getFloatAttr(type.getElementType(), element));
  return make<ConstOp>(DenseElementsAttr::get(type, attributes));
}

Value GradientBuilder::fill(RankedTensorType type, double value) {
  return make<FillOp>(createScalar(builder, op->getLoc(), type.getElementType(), value), type.getShape());
}

Value GradientBuilder::pad(Value x, ArrayRef<std::pair<int64_t, int64_t>> border) {
  SmallVector<int64_t> amounts;
  for (auto [before, after] : border)
    amounts.append({before, after});
  return llvm::all_of(amounts, [](int64_t amount) { return amount == 0; })
             ? x
             : make<PadOp>(x, amounts, "constant", APFloat(0.0));
}

Value GradientBuilder::take(Value x, ArrayRef<SliceRange> ranges) {
  SmallVector<int64_t> begin, end, stride;
  for (const SliceRange &range : ranges) {
    begin.push_back(range.begin);
    end.push_back(range.begin + (range.size - 1) * range.stride + 1);
    stride.push_back(range.stride);
  }
  return make<SliceByIndexOp>(x, begin, end, builder.getDenseI64ArrayAttr(stride), DenseBoolArrayAttr(),
                              DenseBoolArrayAttr(), DenseBoolArrayAttr());
}

Value GradientBuilder::place(Value x, ArrayRef<SliceRange> ranges, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> sizes, spread, cut, reversed;
  SmallVector<std::pair<int64_t, int64_t>> gaps, border;
  for (auto [i, range] : llvm::enumerate(ranges)) {
    int64_t step = std::abs(range.stride), extent = range.size ? (range.size - 1) * step + 1 : 0;
    int64_t begin = range.stride < 0 ? range.begin - (extent - 1) : range.begin;
    if (range.stride < 0)
      reversed.push_back(i);
    sizes.push_back(range.size);
    // Each element gets an axis of its own, which zeros fill up to the next one.
    gaps.append({{0, 0}, {0, step - 1}});
    spread.push_back(range.size * step);
    cut.push_back(extent);
    border.push_back({begin, shape[i] - begin - extent});
  }
  x = reshape(x, sizes);
  if (!reversed.empty())
    x = make<ReverseOp>(x, builder.getDenseI64ArrayAttr(reversed));
  if (cut != sizes) {
    SmallVector<int64_t> split;
    for (int64_t size : sizes)
      split.append({size, 1});
    x = reshape(pad(reshape(x, split), gaps), spread);
    x = slice(x, SmallVector<int64_t>(cut.size(), 0), cut);
  }
  return pad(x, border);
}

Value GradientBuilder::sumPerChannel(Value x) {
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < tensorOf(x).getRank(); ++axis)
    if (axis != 1)
      axes.push_back(axis);
  return reshape(sum(x, axes), tensorOf(x).getDimSize(1));
}

Value GradientBuilder::multiplyAlong(Value x, int64_t axis, ArrayRef<double> matrix, int64_t columns) {
  RankedTensorType type = tensorOf(x);
  ArrayRef<int64_t> shape = type.getShape();
  int64_t rows = shape[axis], outer = numElements(shape.take_front(axis)),
          inner = numElements(shape.drop_front(axis + 1));
  Value factor = constant(type.clone({rows, columns}), matrix);
  SmallVector<int64_t> result(shape);
  result[axis] = columns;
  if (inner == 1)
    return reshape(make<MatmulOp>(reshape(x, {outer, rows}), factor, false, false), result);
  return reshape(make<MatmulOp>(factor, reshape(x, {outer, rows, inner}), /*transpose_x=*/true, false), result);
}
