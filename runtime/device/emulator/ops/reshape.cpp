//===- reshape.cpp - Shape changes and transposition ----------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/iteration.h"

#include <algorithm>

namespace ane::rt::emulator {
namespace {

absl::StatusOr<PreparedOp> prepareIdentity(OpArgs &args) {
  Operand x = args.input("x", kAny);
  if (!args.ok())
    return args.status();
  return aliasResult(x.type, x);
}

/// -1 takes what is left; 0 keeps the axis of x (only when the ranks agree).
absl::StatusOr<PreparedOp> prepareReshape(OpArgs &args) {
  Operand x = args.input("x", kAny);
  Operand shape = args.list("shape", kIndex);
  if (!args.ok())
    return args.status();
  TensorType type = x.type;
  if (!shape.constant) {
    // A shape computed at run time can only be the declared one here.
    type.shape = args.declared().front().shape;
  } else {
    const int32_t *values = shape.constant->ints();
    type.shape.assign(values, values + shape.type.size());
    int64_t inferred = -1;
    for (size_t i = 0; i < type.shape.size(); ++i) {
      if (type.shape[i] == 0 && type.shape.size() == x.type.shape.size())
        type.shape[i] = x.type.shape[i];
      if (type.shape[i] != -1)
        continue;
      args.require(inferred < 0, "argument 'shape' has more than one -1");
      inferred = static_cast<int64_t>(i);
    }
    if (inferred >= 0) {
      type.shape[static_cast<size_t>(inferred)] = 1;
      int64_t rest = product(type.shape);
      if (rest > 0)
        type.shape[static_cast<size_t>(inferred)] = x.type.size() / rest;
    }
  }
  for (int64_t dim : type.shape)
    args.require(dim >= 0, "argument 'shape' contains ", dim);
  args.require(type.size() == x.type.size(), "'x' ", x.type.str(), " has ", x.type.size(), " elements, shape ",
               shapeString(type.shape), " has ", type.size());
  if (!args.ok())
    return args.status();
  return aliasResult(type, x);
}

absl::StatusOr<PreparedOp> prepareReshapeLike(OpArgs &args) {
  Operand x = args.input("x", kFloatIntBool);
  std::vector<Operand> refs = args.inputs("ref_tensors", kAny);
  std::vector<Operand> begins = args.inputs("begins", kInt32);
  std::vector<Operand> ends = args.inputs("ends", kInt32);
  std::vector<Operand> masks = args.inputs("end_masks", kBool);
  if (!args.ok())
    return args.status();
  if (!args.require(begins.size() == refs.size() && ends.size() == refs.size() && masks.size() == refs.size(),
                    "'ref_tensors', 'begins', 'ends' and 'end_masks' differ in "
                    "length"))
    return args.status();
  TensorType type{x.type.element, {}};
  for (size_t i = 0; i < refs.size(); ++i) {
    if (!args.require(begins[i].constant && ends[i].constant && masks[i].constant,
                      "'begins', 'ends' and 'end_masks' must be constants"))
      return args.status();
    const Shape &ref = refs[i].type.shape;
    auto clampIndex = [&](int64_t index) {
      int64_t rank = static_cast<int64_t>(ref.size());
      return std::clamp<int64_t>(index < 0 ? index + rank : index, 0, rank);
    };
    int64_t begin = clampIndex(begins[i].constant->ints()[0]);
    int64_t end =
        masks[i].constant->ints()[0] ? static_cast<int64_t>(ref.size()) : clampIndex(ends[i].constant->ints()[0]);
    for (int64_t axis = begin; axis < end; ++axis)
      type.shape.push_back(ref[static_cast<size_t>(axis)]);
  }
  if (!args.require(type.size() == x.type.size(), "'x' ", x.type.str(), " has ", x.type.size(), " elements, shape ",
                    shapeString(type.shape), " has ", type.size()))
    return args.status();
  return aliasResult(type, x);
}

absl::StatusOr<PreparedOp> prepareExpandDims(OpArgs &args) {
  Operand x = args.input("x", kAny);
  std::vector<int64_t> count = args.integers("axes");
  if (!args.ok())
    return args.status();
  int64_t rank = x.type.rank() + static_cast<int64_t>(count.size());
  if (!args.require(rank <= kMaxRank, "the result would have ", rank, " axes; the limit is ", kMaxRank))
    return args.status();
  std::vector<int64_t> axes = args.axes("axes", rank);
  if (!args.ok())
    return args.status();
  TensorType type = x.type;
  for (int64_t axis : axes)
    type.shape.insert(type.shape.begin() + axis, 1);
  return aliasResult(type, x);
}

/// Axes whose size is not 1 stay (coreml-mlprogram.md 3, shape and layout).
absl::StatusOr<PreparedOp> prepareSqueeze(OpArgs &args) {
  Operand x = args.input("x", kAny);
  std::vector<int64_t> axes = args.axesOrAll("axes", x.type.rank());
  if (!args.ok())
    return args.status();
  TensorType type = x.type;
  for (size_t i = axes.size(); i-- > 0;)
    if (type.shape[static_cast<size_t>(axes[i])] == 1)
      type.shape.erase(type.shape.begin() + axes[i]);
  return aliasResult(type, x);
}

absl::StatusOr<PreparedOp> prepareFlatten2d(OpArgs &args) {
  Operand x = args.input("x", kFloatIntBool);
  int64_t axis = args.integer("axis", 1);
  if (!args.ok())
    return args.status();
  int64_t rank = x.type.rank();
  if (!args.require(axis >= -rank && axis <= rank, "argument 'axis' is ", axis, "; rank ", rank, " allows ", -rank,
                    " to ", rank))
    return args.status();
  size_t cut = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  TensorType type{x.type.element, {product(x.type.shape, 0, cut), product(x.type.shape, cut, x.type.shape.size())}};
  return aliasResult(type, x);
}

absl::StatusOr<PreparedOp> prepareTranspose(OpArgs &args) {
  Operand x = args.input("x", kAny);
  std::vector<int64_t> perm = args.integers("perm");
  if (!args.ok())
    return args.status();
  int64_t rank = x.type.rank();
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  bool valid = static_cast<int64_t>(perm.size()) == rank;
  for (int64_t &axis : perm) {
    axis = axis < 0 ? axis + rank : axis;
    valid = valid && axis >= 0 && axis < rank && !seen[static_cast<size_t>(axis)];
    if (valid)
      seen[static_cast<size_t>(axis)] = true;
  }
  if (!args.require(valid, "argument 'perm' is no permutation of the ", rank, " axes of 'x' ", x.type.str()))
    return args.status();
  TensorType type{x.type.element, {}};
  Shape dense = rowMajorStrides(x.type.shape), strides;
  for (int64_t axis : perm) {
    type.shape.push_back(x.type.shape[static_cast<size_t>(axis)]);
    strides.push_back(dense[static_cast<size_t>(axis)]);
  }
  return oneResult(type, kernel([=](KernelContext &context) {
                     gatherStrided(context.words(x), strides, context.outWords(), type.shape);
                   }),
                   /*exact=*/true);
}

absl::StatusOr<PreparedOp> prepareShape(OpArgs &args) {
  Operand x = args.input("x", kAny);
  if (!args.ok())
    return args.status();
  Shape shape = x.type.shape;
  return oneResult({ElementType::Int32, {x.type.rank()}},
                   kernel([=](KernelContext &context) { std::copy(shape.begin(), shape.end(), context.outInts()); }));
}

constexpr OpEntry kOps[] = {
    {"identity", 15, prepareIdentity},      {"reshape", 15, prepareReshape}, {"reshape_like", 16, prepareReshapeLike},
    {"expand_dims", 15, prepareExpandDims}, {"squeeze", 15, prepareSqueeze}, {"flatten2d", 15, prepareFlatten2d},
    {"transpose", 15, prepareTranspose},    {"shape", 15, prepareShape},
};

} // namespace

absl::Span<const OpEntry> reshapeOps() { return kOps; }

} // namespace ane::rt::emulator
