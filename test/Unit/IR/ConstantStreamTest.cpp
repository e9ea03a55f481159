//===- ConstantStreamTest.cpp - chains of movements, part by part ---------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantEval.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/format/gguf/blocks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace mlir;
using namespace mlir::ane;

namespace {

/// A value beside what naive index computation says of its elements.
struct Tracked {
  Value value;
  SmallVector<int64_t> shape;
  std::vector<int64_t> elements; // indices in the constant
};

struct ConstantStreamTest : testing::Test {
  ConstantStreamTest() : builder(&context), composer(builder, builder.getUnknownLoc()) {
    context.loadDialect<ANEDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  int64_t below(int64_t bound) { return std::uniform_int_distribution<int64_t>(0, bound - 1)(random); }

  /// Numbers that fp16 holds exactly.
  Tracked constant(ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, builder.getF32Type());
    std::vector<float> numbers(type.getNumElements());
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    std::vector<int64_t> elements(numbers.size());
    std::iota(elements.begin(), elements.end(), int64_t(0));
    auto data = DenseElementsAttr::get(type, ArrayRef<float>(numbers));
    return {composer.make<ConstOp>(type, data), llvm::to_vector(shape), elements};
  }

  /// Elements in the order that counts through `sizes`, where a step of dimension i is `strides[i]`.
  static std::vector<int64_t> picked(const Tracked &x, int64_t base, ArrayRef<int64_t> sizes,
                                     ArrayRef<int64_t> strides) {
    std::vector<int64_t> out, index(sizes.size(), 0);
    while (true) {
      int64_t at = base;
      for (size_t i = 0; i < sizes.size(); ++i)
        at += index[i] * strides[i];
      out.push_back(x.elements[at]);
      int64_t d = int64_t(sizes.size()) - 1;
      for (; d >= 0 && ++index[d] == sizes[d]; --d)
        index[d] = 0;
      if (d < 0)
        return out;
    }
  }

  static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
    SmallVector<int64_t> strides(shape.size(), 1);
    for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
      strides[i] = strides[i + 1] * shape[i + 1];
    return strides;
  }

  Tracked transposed(const Tracked &x) {
    SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, x.shape.size())), sizes, strides;
    std::shuffle(perm.begin(), perm.end(), random);
    for (int64_t p : perm) {
      sizes.push_back(x.shape[p]);
      strides.push_back(stridesOf(x.shape)[p]);
    }
    return {composer.transpose(x.value, perm), sizes, picked(x, 0, sizes, strides)};
  }

  Tracked sliced(const Tracked &x) {
    SmallVector<int64_t> begins, sizes, strides = stridesOf(x.shape);
    int64_t base = 0;
    for (auto [extent, stride] : llvm::zip(x.shape, strides)) {
      begins.push_back(below(2) ? 0 : below(extent));
      sizes.push_back(below(2) ? extent - begins.back() : 1 + below(extent - begins.back()));
      base += begins.back() * stride;
    }
    return {composer.make<SliceBySizeOp>(x.value, begins, sizes), sizes, picked(x, base, sizes, strides)};
  }

  /// Joins two neighbours, or takes a factor out of a dimension.
  Tracked reshaped(const Tracked &x) {
    SmallVector<int64_t> shape = x.shape;
    int64_t i = below(shape.size());
    if (shape.size() > 1 && below(2)) {
      i = std::min<int64_t>(i, shape.size() - 2);
      shape[i] *= shape[i + 1];
      shape.erase(shape.begin() + i + 1);
    } else if (shape.size() < 5) {
      int64_t factor = shape[i] % 2 ? shape[i] % 3 ? 1 : 3 : 2;
      shape[i] /= factor;
      shape.insert(shape.begin() + i, factor);
    }
    return {composer.reshape(x.value, shape), shape, x.elements};
  }

  Tracked converted(const Tracked &x) {
    bool half = getElementTypeOrSelf(x.value).isF16();
    return {composer.make<CastOp>(x.value, half ? Type(builder.getF32Type()) : Type(builder.getF16Type())), x.shape,
            x.elements};
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
  Composer composer;
  std::mt19937 random{20261121};
};

TEST_F(ConstantStreamTest, ChainsOfMovementsAndCasts) {
  for (int round = 0; round < 2000; ++round) {
    Tracked x = constant({2 + below(4), 3 + below(4), 1 + below(6), 4});
    for (int64_t steps = below(7); steps > 0; --steps)
      switch (below(5)) {
      case 0:
        x = transposed(x);
        break;
      case 1:
        x = sliced(x);
        break;
      case 2:
        x = converted(x);
        break;
      default:
        x = reshaped(x);
      }
    if (!getElementTypeOrSelf(x.value).isF32())
      x = converted(x);
    FailureOr<ConstantStream> stream = streamConstant(x.value);
    ASSERT_TRUE(succeeded(stream));
    ASSERT_EQ(stream->getType(), x.value.getType());
    std::vector<char> bytes;
    EXPECT_TRUE(stream->read([&](ArrayRef<char> part) {
      bytes.insert(bytes.end(), part.begin(), part.end());
      return true;
    }));
    ASSERT_EQ(bytes.size(), x.elements.size() * sizeof(float)) << "round " << round;
    std::vector<float> want(x.elements.begin(), x.elements.end()), got(want.size());
    std::memcpy(got.data(), bytes.data(), bytes.size());
    ASSERT_EQ(got, want) << "round " << round;
  }
}

TEST_F(ConstantStreamTest, SliceOfATransposition) {
  Tracked x = constant({2, 3, 4});
  Value moved = composer.transpose(x.value, {2, 0, 1});
  Value part = composer.make<SliceBySizeOp>(moved, ArrayRef<int64_t>{1, 0, 1}, ArrayRef<int64_t>{2, 2, 2});
  FailureOr<ConstantBuffer> buffer = evaluateConstant(composer.reshape(part, {4, 2}));
  ASSERT_TRUE(succeeded(buffer));
  auto got = reinterpret_cast<const float *>(buffer->bytes().data());
  EXPECT_EQ(std::vector<float>(got, got + 8), (std::vector<float>{5, 9, 17, 21, 6, 10, 18, 22}));
}

/// Blocks of more than a part, as they are, in slices, transposed and rounded, against all of them expanded at once.
TEST_F(ConstantStreamTest, Blocks) {
  constexpr int64_t rows = 300, columns = 512, bytes = columns / 32 * 34; // Q8_0
  std::vector<uint8_t> data(rows * bytes);
  for (uint8_t &byte : data)
    byte = below(256);
  for (size_t at = 0; at < data.size(); at += 34)
    data[at] = below(256), data[at + 1] = 0x20 + below(16); // scales of less than 1
  std::vector<float> all(rows * columns);
  ::ane::rt::gguf::expandBlocks(::ane::rt::gguf::BlockType::Q8_0, data.data(), rows * columns / 32, all.data());
  auto type = RankedTensorType::get({rows, bytes}, builder.getIntegerType(8, /*isSigned=*/false));
  Value raw = composer.make<ConstOp>(type, DenseElementsAttr::get(type, ArrayRef(data)));
  auto expanded = [&](StringRef dtype) { return composer.make<ConstexprBlocksOp>(BlockType::Q8_0, raw, dtype); };
  auto check = [&](Value value, function_ref<float(int64_t)> want) {
    FailureOr<ConstantStream> stream = streamConstant(value);
    ASSERT_TRUE(succeeded(stream));
    std::vector<char> read;
    size_t largest = 0;
    EXPECT_TRUE(stream->read([&](ArrayRef<char> part) {
      read.insert(read.end(), part.begin(), part.end());
      largest = std::max(largest, part.size());
      return true;
    }));
    EXPECT_LE(largest, size_t(1) << 19);
    FailureOr<ConstantBuffer> buffer = evaluateConstant(value);
    ASSERT_TRUE(succeeded(buffer));
    EXPECT_EQ(ArrayRef<char>(read), buffer->bytes());
    auto result = cast<RankedTensorType>(value.getType());
    bool isHalf = result.getElementType().isF16();
    ASSERT_EQ(int64_t(read.size()), result.getNumElements() * (isHalf ? 2 : 4));
    for (int64_t i = 0; i < result.getNumElements(); ++i)
      if (isHalf)
        ASSERT_EQ(reinterpret_cast<const _Float16 *>(read.data())[i], _Float16(want(i))) << i;
      else
        ASSERT_EQ(reinterpret_cast<const float *>(read.data())[i], want(i)) << i;
  };
  auto whole = [&](int64_t i) { return all[i]; };
  check(expanded("fp32"), whole);
  check(expanded("fp16"), whole);
  check(composer.make<CastOp>(expanded("fp32"), builder.getF16Type()), whole);
  check(composer.make<CastOp>(expanded("fp16"), builder.getF32Type()), [&](int64_t i) { return _Float16(all[i]); });
  check(composer.transpose(expanded("fp32"), {1, 0}), [&](int64_t i) { return all[i % rows * columns + i / rows]; });
  // Rows and columns that begin in the middle of a block.
  Value part = composer.make<SliceBySizeOp>(expanded("fp32"), ArrayRef<int64_t>{7, 5}, ArrayRef<int64_t>{290, 500});
  check(part, [&](int64_t i) { return all[(7 + i / 500) * columns + 5 + i % 500]; });
  check(composer.transpose(part, {1, 0}), [&](int64_t i) { return all[(7 + i % 290) * columns + 5 + i / 290]; });
}

} // namespace
