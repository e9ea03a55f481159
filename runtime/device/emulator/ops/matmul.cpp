//===- matmul.cpp - Matrix products ---------------------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/gemm.h"
#include "runtime/device/emulator/ops/iteration.h"

#include <algorithm>

namespace ane::rt::emulator {
namespace {

/// One operand of matmul: the last two axes, as they are multiplied, and the
/// axes in front. A rank-1 operand is a row on the left, a column on the right.
struct MatmulSide {
  Shape batch;
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t stride = 1;
  bool transposed = false;
  bool isVector = false;
};

MatmulSide sideOf(const Shape &shape, bool transposed, bool left) {
  MatmulSide side;
  if (shape.size() == 1) {
    side.isVector = true;
    (left ? side.columns : side.rows) = shape[0];
    side.stride = left ? shape[0] : 1;
    return side;
  }
  side.batch.assign(shape.begin(), shape.end() - 2);
  side.rows = shape[shape.size() - 2];
  side.columns = shape.back();
  side.stride = shape.back();
  side.transposed = transposed;
  if (transposed)
    std::swap(side.rows, side.columns);
  return side;
}

/// An int32 product; sums wrap around.
void intProduct(const MatmulSide &x, const MatmulSide &y, const int32_t *a, const int32_t *b, int32_t *out) {
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < y.columns; ++j) {
      uint32_t sum = 0;
      for (int64_t k = 0; k < x.columns; ++k) {
        int32_t left = x.transposed ? a[k * x.stride + i] : a[i * x.stride + k];
        int32_t right = y.transposed ? b[j * y.stride + k] : b[k * y.stride + j];
        sum += static_cast<uint32_t>(left) * static_cast<uint32_t>(right);
      }
      out[i * y.columns + j] = static_cast<int32_t>(sum);
    }
}

/// The element type of a product. From iOS17 a constant side may have another
/// type; the result then takes the type of the other side.
ElementType productElement(OpArgs &args, const Operand &x, const Operand &y) {
  if (x.type.element == y.type.element)
    return x.type.element;
  bool mixed = args.opset() >= 17 && (x.constant || y.constant) && isFloat(x.type.element) && isFloat(y.type.element);
  args.require(mixed, "'x' is ", x.type.str(), " and 'y' is ", y.type.str(), "; both need the same element type");
  return y.constant ? x.type.element : y.type.element;
}

absl::StatusOr<PreparedOp> prepareMatmul(OpArgs &args) {
  Operand x = args.input("x", kFloatInt);
  Operand y = args.input("y", kFloatInt);
  bool transposeX = args.boolean("transpose_x", false);
  bool transposeY = args.boolean("transpose_y", false);
  if (!args.ok())
    return args.status();
  args.require(x.type.rank() >= 1 && y.type.rank() >= 1, "'x' is ", x.type.str(), " and 'y' is ", y.type.str(),
               "; both need at least one axis");
  ElementType element = productElement(args, x, y);
  if (!args.ok())
    return args.status();
  MatmulSide left = sideOf(x.type.shape, transposeX, true);
  MatmulSide right = sideOf(y.type.shape, transposeY, false);
  args.require(left.columns == right.rows, "'x' ", x.type.str(), transposeX ? " (transposed)" : "", " has ",
               left.columns, " columns, but 'y' ", y.type.str(), transposeY ? " (transposed)" : "", " has ", right.rows,
               " rows");
  std::optional<Shape> batch = broadcastShapes(left.batch, right.batch);
  args.require(batch.has_value(), "the leading axes of ", x.type.str(), " and ", y.type.str(), " do not broadcast");
  if (!args.ok())
    return args.status();
  Shape result = *batch;
  if (!left.isVector)
    result.push_back(left.rows);
  if (!right.isVector)
    result.push_back(right.columns);

  if (!args.fits({element, result}))
    return args.status();
  // Offsets of the operands' matrices, one pair per product.
  BroadcastLoop<2> loop(*batch, {&left.batch, &right.batch});
  int64_t leftSize = left.rows * left.columns;
  int64_t rightSize = right.rows * right.columns;
  int64_t outSize = left.rows * right.columns;
  bool floats = heldAsFloat(element);
  // Every product shares the right matrix: one tall product does them all.
  bool oneProduct = floats && right.batch.empty() && !left.transposed;
  int64_t batches = product(*batch);
  int64_t work = product({batches, outSize, left.columns}) / (floats ? kProductsPerVisit : 1);
  return oneResult({element, result}, kernel([=](KernelContext &context) {
                     if (oneProduct) {
                       gemm(batches * left.rows, right.columns, left.columns, {context.floats(x), left.stride},
                            {context.floats(y), right.stride, right.transposed}, context.outFloats(), right.columns);
                       leaveAccumulator(context.numerics, context.outFloats(), batches * outSize);
                       return;
                     }
                     const uint32_t *a = context.words(x), *b = context.words(y);
                     auto one = [&](int64_t index, int64_t atX, int64_t atY) {
                       if (floats)
                         gemm(left.rows, right.columns, left.columns,
                              {reinterpret_cast<const float *>(a) + atX * leftSize, left.stride, left.transposed},
                              {reinterpret_cast<const float *>(b) + atY * rightSize, right.stride, right.transposed},
                              context.outFloats() + index * outSize, right.columns);
                       else
                         intProduct(left, right, reinterpret_cast<const int32_t *>(a) + atX * leftSize,
                                    reinterpret_cast<const int32_t *>(b) + atY * rightSize,
                                    context.outInts() + index * outSize);
                     };
                     loop.rows([&](int64_t offset, int64_t count, const std::array<int64_t, 2> &offsets,
                                   const std::array<int64_t, 2> &steps) {
                       for (int64_t i = 0; i < count; ++i)
                         one(offset + i, offsets[0] + i * steps[0], offsets[1] + i * steps[1]);
                     });
                     if (floats)
                       leaveAccumulator(context.numerics, context.outFloats(), batches * outSize);
                   }))
      .costing(work);
}

absl::StatusOr<PreparedOp> prepareLinear(OpArgs &args) {
  Operand x = args.input("x", kFloatInt);
  // Documented as constants; programs with run-time weights exist, and a
  // product is a product.
  Operand weight = args.input("weight", kFloatInt);
  Operand bias = args.optionalInput("bias", kFloatInt);
  if (!args.ok())
    return args.status();
  const Shape &in = x.type.shape, &w = weight.type.shape;
  args.require(!in.empty(), "'x' is ", x.type.str(), "; it needs at least one axis");
  args.require(w.size() == 2, "'weight' is ", weight.type.str(), "; its rank must be 2");
  args.require(heldAsFloat(x.type.element) == heldAsFloat(weight.type.element), "'x' is ", x.type.str(),
               " and 'weight' is ", weight.type.str());
  if (args.opset() < 17)
    args.require(x.type.element == weight.type.element, "'x' is ", x.type.str(), " and 'weight' is ", weight.type.str(),
                 "; before ios17 both need the same element type");
  if (!args.ok())
    return args.status();
  args.require(in.back() == w[1], "'x' is ", x.type.str(), ", but each row of 'weight' has ", w[1], " elements");
  if (bias.present())
    args.require(bias.type.shape == Shape{w[0]} && heldAsFloat(bias.type.element) == heldAsFloat(x.type.element),
                 "'bias' is ", bias.type.str(), "; it needs ", w[0], " elements of the type of 'x'");
  if (!args.ok())
    return args.status();
  Shape result = in;
  result.back() = w[0];
  int64_t rows = product(in, 0, in.size() - 1);
  int64_t depth = w[1], columns = w[0];
  if (!args.fits({x.type.element, result}))
    return args.status();
  if (!heldAsFloat(x.type.element)) {
    MatmulSide left = sideOf({rows, depth}, false, true);
    MatmulSide right = sideOf({columns, depth}, true, false);
    return oneResult({x.type.element, result}, kernel([=](KernelContext &context) {
                       int32_t *out = context.outInts();
                       intProduct(left, right, context.ints(x), context.ints(weight), out);
                       if (bias.present()) {
                         const int32_t *b = context.ints(bias);
                         for (int64_t i = 0; i < rows * columns; ++i)
                           out[i] = static_cast<int32_t>(static_cast<uint32_t>(out[i]) +
                                                         static_cast<uint32_t>(b[i % columns]));
                       }
                     }))
        .costing(product({rows, columns, depth}));
  }
  return oneResult({x.type.element, result}, kernel([=](KernelContext &context) {
                     float *out = context.outFloats();
                     gemm(rows, columns, depth, {context.floats(x), depth},
                          {context.floats(weight), depth, /*transposed=*/true}, out, columns);
                     leaveAccumulator(context.numerics, out, rows * columns);
                     if (!bias.present())
                       return;
                     const float *b = context.floats(bias);
                     for (int64_t r = 0; r < rows; ++r)
                       for (int64_t c = 0; c < columns; ++c)
                         out[r * columns + c] += b[c];
                   }))
      .costing(Cost::products({rows, columns, depth}));
}

constexpr OpEntry kOps[] = {
    {"matmul", 15, prepareMatmul},
    {"linear", 15, prepareLinear},
};

} // namespace

absl::Span<const OpEntry> matmulOps() { return kOps; }

} // namespace ane::rt::emulator
