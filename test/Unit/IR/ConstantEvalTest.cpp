//===- ConstantEvalTest.cpp - values of constant expressions --------------===//

#include "ane/IR/ConstantEval.h"
#include "ane/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ane;

namespace {

struct ConstantEvalTest : testing::Test {
  ConstantEvalTest() : builder(&context), composer(builder, builder.getUnknownLoc()) {
    context.loadDialect<ANEDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  /// A weight that is the whole of a file with `bytes`.
  Value weight(Type element, int64_t size, ArrayRef<uint8_t> bytes) {
    int fd;
    SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("weight", "bin", fd, path));
    llvm::raw_fd_ostream(fd, /*shouldClose=*/true).write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    files.emplace_back(path);
    auto type = RankedTensorType::get({size}, element);
    return composer.make<ConstOp>(
        type, WeightAttr::get(&context, type, builder.getStringAttr(path), 0, bytes.size(), StringAttr()));
  }

  std::vector<float> floatsOf(Value value) {
    FailureOr<DenseElementsAttr> attr = evaluateToAttribute(value);
    EXPECT_TRUE(succeeded(attr));
    auto values = attr->getValues<float>();
    return {values.begin(), values.end()};
  }
  std::vector<float> asFloats(Value value) {
    auto type = RankedTensorType::get(cast<RankedTensorType>(value.getType()).getShape(), builder.getF32Type());
    return floatsOf(composer.make<CastOp>(type, value));
  }
  Value constant(ArrayRef<float> values) {
    auto type = RankedTensorType::get({int64_t(values.size())}, builder.getF32Type());
    return composer.make<ConstOp>(type, DenseElementsAttr::get(type, values));
  }

  ~ConstantEvalTest() {
    for (auto &file : files)
      llvm::sys::fs::remove(file);
  }

  MLIRContext context;
  OpBuilder builder;
  Composer composer;
  OwningOpRef<ModuleOp> module;
  std::vector<SmallString<128>> files;
};

TEST_F(ConstantEvalTest, ElementsOfLessThanAByteArePackedInFilesOnly) {
  // From the low bits on; the last byte is not full.
  EXPECT_EQ(asFloats(weight(builder.getIntegerType(4), 5, {0x81, 0x7f, 0x0a})), (std::vector<float>{1, -8, -1, 7, -6}));
  Type u4 = builder.getIntegerType(4, /*isSigned=*/false), u3 = builder.getIntegerType(3, false);
  EXPECT_EQ(asFloats(weight(u4, 3, {0x81, 0x0f})), (std::vector<float>{1, 8, 15}));
  EXPECT_EQ(asFloats(weight(u3, 3, {0b11'010'001, 0b1})), (std::vector<float>{1, 2, 7}));
}

TEST_F(ConstantEvalTest, AnAttributeOfPackedElementsIsTheWeight) {
  FailureOr<DenseElementsAttr> attr = evaluateToAttribute(weight(builder.getIntegerType(4), 3, {0x81, 0x0f}));
  ASSERT_TRUE(succeeded(attr));
  std::vector<int64_t> values;
  for (const APInt &value : attr->getValues<APInt>())
    values.push_back(value.getSExtValue());
  EXPECT_EQ(values, (std::vector<int64_t>{1, -8, -1}));
}

TEST_F(ConstantEvalTest, FolderAndEvaluationAgree) {
  float values[] = {NAN, -INFINITY, -0.0f, 0.0f, 1.0f, 2.5f}, ones[] = {1, 1, 1, 1, NAN, 1};
  Value x = constant(values), y = constant(ones);
  auto check = [&](Value value) {
    std::vector<float> evaluated = floatsOf(value);
    SmallVector<OpFoldResult> folded;
    Operation *op = value.getDefiningOp();
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operand.getDefiningOp<ConstOp>().getValue());
    ASSERT_TRUE(succeeded(op->fold(operands, folded))) << op->getName().getStringRef().str();
    auto again = cast<DenseElementsAttr>(cast<Attribute>(folded[0])).getValues<float>();
    for (auto [a, b] : llvm::zip_equal(evaluated, again)) {
      EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << " and " << b;
      EXPECT_TRUE(std::isnan(a) || std::signbit(a) == std::signbit(b)) << a << " and " << b;
    }
  };
  OpBuilder &b = builder;
  Location loc = b.getUnknownLoc();
  check(b.create<MaximumOp>(loc, y, x));
  check(b.create<MaximumOp>(loc, x, y));
  check(b.create<MinimumOp>(loc, y, x));
  check(b.create<SignOp>(loc, x));
  check(b.create<ReluOp>(loc, x));
  check(b.create<RoundOp>(loc, x));
  check(b.create<SoftplusOp>(loc, x));
  EXPECT_TRUE(std::isnan(floatsOf(b.create<MaximumOp>(loc, y, x))[4]));
  EXPECT_TRUE(std::signbit(floatsOf(b.create<SignOp>(loc, x))[2]));
}

} // namespace
