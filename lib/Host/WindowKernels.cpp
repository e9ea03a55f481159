//===- WindowKernels.cpp - pools and transposed convolutions --------------===//

#include "LoopKernel.h"
#include "ane/IR/Window.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

using IPred = arith::CmpIPredicate;

/// Nested folds over `sizes`.
static SmallVector<Value> foldAll(LoopKernel &k, OpBuilder &b, ArrayRef<int64_t> sizes, ValueRange initial,
                                  SmallVectorImpl<Value> &indices,
                                  function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ValueRange)> body) {
  if (sizes.empty())
    return body(b, indices, initial);
  return k.fold(b, sizes[0], initial, [&](OpBuilder &b, Value i, ValueRange carried) {
    indices.push_back(i);
    SmallVector<Value> result = foldAll(k, b, sizes.drop_front(), carried, indices, body);
    indices.pop_back();
    return result;
  });
}

/// Whether `i` (an index, perhaps below 0) is in [0, size); and it, or 0 where it is not.
static Value inside(LoopKernel &k, OpBuilder &b, Value &i, int64_t size, Value valid) {
  Value ok = k.compare(b, IPred::ult, i, k.index(b, size));
  i = k.select(b, ok, i, k.index(b, 0));
  return valid ? k.both(b, valid, ok) : ok;
}

template <typename OpTy>
static LogicalResult pool(LoopKernel &k, OpTy op) {
  Window window = op.getWindow();
  constexpr bool isMax = std::is_same_v<OpTy, MaxPoolOp>, isAverage = std::is_same_v<OpTy, AvgPoolOp>;
  bool exclude = false;
  if constexpr (isAverage)
    exclude = op.getExcludePaddingFromAverage();
  int64_t elements = numElements(window.kernel);
  k.forAll(
      k.context.builder, k.resultShape(),
      [&](OpBuilder &b, ValueRange at) {
        Scalar s = k.scalar(b);
        Type type = s.computeType(k.resultElement());
        SmallVector<Value> initial{s.constantOf(type, isMax ? -INFINITY : 0.0), s.constantOf(type, 0)}, indices;
        SmallVector<Value> sums =
            foldAll(k, b, window.kernel, initial, indices, [&](OpBuilder &b, ValueRange step, ValueRange carried) {
              SmallVector<Value> from{at[0], at[1]};
              Value valid;
              for (size_t d = 0; d < step.size(); ++d) {
                Value i =
                    k.add(b, k.mul(b, at[2 + d], window.strides[d]), k.sub(b, step[d], k.index(b, window.padBegin[d])));
                valid = inside(k, b, i, k.shape(0)[2 + d], valid);
                from.push_back(i);
              }
              Scalar s = k.scalar(b);
              Value x = k.load(b, 0, from), next;
              if (isMax)
                next = s.max(x, carried[0]); // passes over NaN, as ONNX Runtime does: keeping it doubles the time
              else
                next = s.add(carried[0], isAverage ? x : s.mul(x, x));
              return SmallVector<Value>{k.select(b, valid, next, carried[0]),
                                        k.select(b, valid, s.add(carried[1], 1.0), carried[1])};
            });
        Value result = sums[0];
        if (isAverage)
          result = s.div(result, exclude ? sums[1] : s.constant(result, elements));
        else if (!isMax)
          result = s.sqrt(result);
        k.store(b, result, at);
      },
      elements);
  return success();
}

/// Gathers for each output element the inputs whose window covers it.
static LogicalResult convTranspose(LoopKernel &k, ConvTransposeOp op) {
  Window window = op.getWindow();
  int64_t groups = static_cast<int64_t>(op.getGroups()), channelsIn = k.shape(0)[1] / groups,
          channelsOut = k.shape(1)[1];
  Value bias = op.getBias();
  SmallVector<int64_t> space{channelsIn};
  llvm::append_range(space, window.kernel);
  k.forAll(
      k.context.builder, k.resultShape(),
      [&](OpBuilder &b, ValueRange at) {
        Scalar s = k.scalar(b);
        Value group = b.create<arith::DivUIOp>(k.loc, at[1], k.index(b, channelsOut));
        Value channel = b.create<arith::RemUIOp>(k.loc, at[1], k.index(b, channelsOut));
        Value zero = s.constantOf(s.computeType(k.resultElement()), 0);
        SmallVector<Value> indices;
        SmallVector<Value> sum =
            foldAll(k, b, space, bias ? k.load(b, 2, at[1]) : zero, indices,
                    [&](OpBuilder &b, ValueRange step, ValueRange carried) {
                      Value in = k.add(b, k.mul(b, group, channelsIn), step[0]);
                      SmallVector<Value> from{at[0], in}, weight{in, channel};
                      Value valid;
                      for (size_t d = 0; d + 1 < step.size(); ++d) {
                        // o + pad - tap * dilation must be a multiple of the stride.
                        Value o = k.sub(b, k.add(b, at[2 + d], k.index(b, window.padBegin[d])),
                                        k.mul(b, step[1 + d], window.dilations[d]));
                        Value stride = k.index(b, window.strides[d]);
                        Value whole =
                            k.compare(b, IPred::eq, b.create<arith::RemSIOp>(k.loc, o, stride), k.index(b, 0));
                        Value i = b.create<arith::DivSIOp>(k.loc, o, stride);
                        // A negative o divides to 0 or below; only a whole quotient counts.
                        valid = inside(k, b, i, k.shape(0)[2 + d], valid ? k.both(b, valid, whole) : whole);
                        from.push_back(i);
                        weight.push_back(step[1 + d]);
                      }
                      Scalar s = k.scalar(b);
                      Value next = s.fma(k.load(b, 0, from), k.load(b, 1, weight), carried[0]);
                      return SmallVector<Value>{valid ? k.select(b, valid, next, carried[0]) : next};
                    });
        k.store(b, sum[0], at);
      },
      numElements(space));
  return success();
}

/// x / (k + alpha / size * sum of squares)^beta; half of the channels before, the rest after.
static LogicalResult localResponseNorm(LoopKernel &k, LocalResponseNormOp op) {
  int64_t size = op.getSize(), channels = k.resultShape()[1];
  double alpha = op.getAlpha().convertToDouble(), beta = op.getBeta().convertToDouble();
  k.forAll(
      k.context.builder, k.resultShape(),
      [&](OpBuilder &b, ValueRange at) {
        Scalar s = k.scalar(b);
        Value zero = s.constantOf(s.computeType(k.resultElement()), 0);
        Value sum = k.fold(b, size, zero, [&](OpBuilder &b, Value step, ValueRange carried) {
          SmallVector<Value> from(at);
          from[1] = k.sub(b, k.add(b, at[1], step), k.index(b, size / 2));
          Value valid = inside(k, b, from[1], channels, Value()), x = k.load(b, 0, from);
          return SmallVector<Value>{k.select(b, valid, k.scalar(b).fma(x, x, carried[0]), carried[0])};
        })[0];
        Value base = s.add(s.mul(sum, alpha / double(size)), op.getK().convertToDouble());
        k.store(b, s.div(k.load(b, 0, at), s.pow(base, s.constant(base, beta))), at);
      },
      size + 40);
  return success();
}

LogicalResult host::emitWindow(LoopKernel &k) {
  return TypeSwitch<Operation *, LogicalResult>(k.op)
      .Case<MaxPoolOp, AvgPoolOp, L2PoolOp>([&](auto op) { return pool(k, op); })
      .Case([&](ConvTransposeOp op) { return convTranspose(k, op); })
      .Case([&](LocalResponseNormOp op) { return localResponseNorm(k, op); });
}
