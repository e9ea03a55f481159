//===- join.cpp - Ops that join, split and repeat tensors -----------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/iteration.h"

namespace ane::rt::emulator {
namespace {

void requireOneElementType(OpArgs &args, const std::vector<Operand> &values) {
  for (const Operand &value : values)
    args.require(value.type.element == values.front().type.element, "'values' are ", values.front().type.str(), " and ",
                 value.type.str(), "; all need the same element type");
}

absl::StatusOr<PreparedOp> prepareConcat(OpArgs &args) {
  std::vector<Operand> values = args.inputs("values", kAny);
  bool interleave = args.boolean("interleave", false);
  if (!args.ok())
    return args.status();
  requireOneElementType(args, values);
  // Scalars join into a vector.
  std::vector<Shape> shapes;
  for (const Operand &value : values)
    shapes.push_back(value.type.shape.empty() ? Shape{1} : value.type.shape);
  int64_t rank = static_cast<int64_t>(shapes.front().size());
  int64_t axis = args.axis("axis", rank);
  if (!args.ok())
    return args.status();
  size_t at = static_cast<size_t>(axis);
  TensorType type{values.front().type.element, shapes.front()};
  type.shape[at] = 0;
  for (const Shape &shape : shapes) {
    Shape rest = shape;
    if (shape.size() == type.shape.size())
      rest[at] = type.shape[at];
    args.require(rest == type.shape && (!interleave || shape == shapes.front()), "'values' of shapes ",
                 shapeString(shapes.front()), " and ", shapeString(shape), " do not join along axis ", axis,
                 interleave ? " (interleaved)" : "");
    if (!args.ok())
      return args.status();
    type.shape[at] += shape[at];
  }
  int64_t outer = product(type.shape, 0, at);
  int64_t inner = product(type.shape, at + 1, type.shape.size());
  int64_t row = type.shape[at] * inner;
  int64_t count = static_cast<int64_t>(values.size());
  return oneResult(type, kernel([=](KernelContext &context) {
                     uint32_t *out = context.outWords();
                     int64_t offset = 0;
                     for (int64_t v = 0; v < count; ++v) {
                       size_t i = static_cast<size_t>(v);
                       const uint32_t *in = context.words(values[i]);
                       int64_t size = shapes[i][at];
                       if (interleave) {
                         // Element k of value v goes to k * count + v of the
                         // axis.
                         copyStrided(in, {size * inner, inner, 1}, out + v * inner, {row, count * inner, 1},
                                     {outer, size, inner});
                         continue;
                       }
                       copyStrided(in, {size * inner, 1}, out + offset, {row, 1}, {outer, size * inner});
                       offset += size * inner;
                     }
                   }),
                   /*exact=*/true);
}

absl::StatusOr<PreparedOp> prepareStack(OpArgs &args) {
  std::vector<Operand> values = args.inputs("values", kAny);
  if (!args.ok())
    return args.status();
  requireOneElementType(args, values);
  const Shape &shape = values.front().type.shape;
  for (const Operand &value : values)
    args.require(value.type.shape == shape, "'values' are ", values.front().type.str(), " and ", value.type.str(),
                 "; all need the same shape");
  int64_t axis = args.axis("axis", static_cast<int64_t>(shape.size()) + 1);
  if (!args.ok())
    return args.status();
  int64_t count = static_cast<int64_t>(values.size());
  TensorType type{values.front().type.element, shape};
  type.shape.insert(type.shape.begin() + axis, count);
  int64_t outer = product(shape, 0, static_cast<size_t>(axis));
  int64_t inner = product(shape, static_cast<size_t>(axis), shape.size());
  return oneResult(type, kernel([=](KernelContext &context) {
                     for (int64_t v = 0; v < count; ++v)
                       copyStrided(context.words(values[static_cast<size_t>(v)]), {inner, 1},
                                   context.outWords() + v * inner, {count * inner, 1}, {outer, inner});
                   }),
                   /*exact=*/true);
}

absl::StatusOr<PreparedOp> prepareSplit(OpArgs &args) {
  Operand x = args.input("x", kAny);
  int64_t axis = args.axis("axis", x.type.rank());
  int64_t parts = args.integer("num_splits", 0);
  std::optional<std::vector<int64_t>> sizes = args.optionalIntegers("split_sizes");
  if (!args.ok())
    return args.status();
  size_t at = static_cast<size_t>(axis);
  int64_t whole = x.type.shape[at];
  args.require(parts > 0 || sizes, "one of 'num_splits' and 'split_sizes' is "
                                   "needed");
  if (!args.ok())
    return args.status();
  if (!args.fitsCount(sizes ? sizes->size() : static_cast<size_t>(parts)))
    return args.status();
  if (!sizes) {
    if (!args.require(whole % parts == 0, "axis ", axis, " of 'x' ", x.type.str(), " does not divide into ", parts,
                      " parts"))
      return args.status();
    sizes = std::vector<int64_t>(static_cast<size_t>(parts), whole / parts);
  }
  int64_t sum = 0;
  for (int64_t size : *sizes) {
    args.require(size >= 0, "argument 'split_sizes' contains ", size);
    sum += size;
  }
  args.require(sum == whole, "argument 'split_sizes' adds up to ", sum, ", but axis ", axis, " of 'x' is ", whole);
  args.require(parts == 0 || parts == static_cast<int64_t>(sizes->size()), "arguments 'num_splits' (", parts,
               ") and 'split_sizes' (", sizes->size(), " elements) disagree");
  if (!args.ok())
    return args.status();
  PreparedOp op;
  op.exact = true;
  for (int64_t size : *sizes) {
    TensorType type = x.type;
    type.shape[at] = size;
    op.results.push_back(type);
  }
  int64_t outer = product(x.type.shape, 0, at);
  int64_t inner = product(x.type.shape, at + 1, x.type.shape.size());
  op.kernel = kernel([=, lengths = *sizes](KernelContext &context) {
    const uint32_t *in = context.words(x);
    for (size_t i = 0; i < lengths.size(); ++i) {
      int64_t row = lengths[i] * inner;
      copyStrided(in, {whole * inner, 1}, context.outWords(i), {row, 1}, {outer, row});
      in += row;
    }
  });
  return op;
}

absl::StatusOr<PreparedOp> prepareTile(OpArgs &args) {
  Operand x = args.input("x", kAny);
  std::vector<int64_t> reps = args.integers("reps");
  if (!args.ok())
    return args.status();
  if (!args.require(static_cast<int64_t>(reps.size()) == x.type.rank(), "argument 'reps' has ", reps.size(),
                    " elements; 'x' has rank ", x.type.rank()))
    return args.status();
  TensorType type = x.type;
  Shape dense = rowMajorStrides(x.type.shape), extents, strides;
  for (size_t i = 0; i < reps.size(); ++i) {
    args.require(reps[i] >= 1, "argument 'reps' contains ", reps[i]);
    type.shape[i] *= reps[i];
    extents.push_back(reps[i]);
    extents.push_back(x.type.shape[i]);
    strides.push_back(0);
    strides.push_back(dense[i]);
  }
  if (!args.ok())
    return args.status();
  return oneResult(type, kernel([=](KernelContext &context) {
                     gatherStrided(context.words(x), strides, context.outWords(), extents);
                   }),
                   /*exact=*/true);
}

constexpr OpEntry kOps[] = {
    {"concat", 15, prepareConcat},
    {"stack", 15, prepareStack},
    {"split", 15, prepareSplit},
    {"tile", 15, prepareTile},
};

} // namespace

absl::Span<const OpEntry> joinOps() { return kOps; }

} // namespace ane::rt::emulator
