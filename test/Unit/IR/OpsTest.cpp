//===- OpsTest.cpp - what op records say beside their types ---------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Builders.h"
#include "ane/IR/Dtype.h"
#include "ane/IR/MILArguments.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ane;

namespace {

struct OpsTest : testing::Test {
  OpsTest() { context.loadDialect<ANEDialect, func::FuncDialect>(); }

  /// The first op of a function with the given arguments whose only statement is `text`.
  Operation *parse(StringRef arguments, StringRef text) {
    std::string source = ("func.func @f(" + arguments + ") {\n  %r = " + text + "\n  return\n}").str();
    module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module) << source;
    auto function = *module->getOps<func::FuncOp>().begin();
    return &function.getBody().front().front();
  }

  int64_t flops(StringRef arguments, StringRef text) {
    return cast<CostOpInterface>(parse(arguments, text)).getFlops();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(OpsTest, CountsFlops) {
  // A multiply-add counts two: 2 * 5 * 3 * 6 * 4.
  EXPECT_EQ(flops("%x: tensor<5x3x4xf16>, %y: tensor<4x6xf16>",
                  "ane.matmul %x, %y : (tensor<5x3x4xf16>, tensor<4x6xf16>) -> tensor<5x3x6xf16>"),
            720);
  EXPECT_EQ(flops("%x: tensor<4x3xf16>, %y: tensor<6x4xf16>",
                  "ane.matmul %x, %y {transpose_x = true, transpose_y = true} : (tensor<4x3xf16>, tensor<6x4xf16>) -> "
                  "tensor<3x6xf16>"),
            144);
  EXPECT_EQ(flops("%x: tensor<7x4xf16>, %w: tensor<5x4xf16>",
                  "ane.linear %x, %w : (tensor<7x4xf16>, tensor<5x4xf16>) -> tensor<7x5xf16>"),
            280);
  // 2 * 6 channels * 7 * 6 places * (2 input channels a group * 9 weights).
  EXPECT_EQ(flops("%x: tensor<1x4x9x8xf16>, %w: tensor<6x2x3x3xf16>",
                  "ane.conv %x, %w {groups = 2} : (tensor<1x4x9x8xf16>, tensor<6x2x3x3xf16>) -> tensor<1x6x7x6xf16>"),
            9072);
  // Each of 4 * 5 * 5 inputs meets 6 * 9 weights.
  EXPECT_EQ(flops("%x: tensor<1x4x5x5xf16>, %w: tensor<4x6x3x3xf16>",
                  "ane.conv_transpose %x, %w : (tensor<1x4x5x5xf16>, tensor<4x6x3x3xf16>) -> tensor<1x6x7x7xf16>"),
            10800);
  EXPECT_EQ(
      flops("%x: tensor<1x4x8x8xf16>",
            "ane.max_pool %x {kernel_sizes = array<i64: 2, 2>, strides = array<i64: 2, 2>, pad_type = \"valid\"} : "
            "(tensor<1x4x8x8xf16>) -> tensor<1x4x4x4xf16>"),
      256);
  // Scores [2, 5, 7]: 2 * 8 each for the product, 2 * 6 for the values, 6 for the softmax.
  EXPECT_EQ(flops("%q: tensor<2x5x8xf16>, %k: tensor<2x7x8xf16>, %v: tensor<2x7x6xf16>",
                  "ane.scaled_dot_product_attention %q, %k, %v : (tensor<2x5x8xf16>, tensor<2x7x8xf16>, "
                  "tensor<2x7x6xf16>) -> tensor<2x5x6xf16>"),
            70 * (16 + 12 + 6));
  EXPECT_EQ(
      flops("%x: tensor<2x3xf16>, %y: tensor<3x5xf16>",
            "ane.einsum %x, %y {equation = \"ij,jk->ik\"} : (tensor<2x3xf16>, tensor<3x5xf16>) -> tensor<2x5xf16>"),
      60);
  EXPECT_EQ(flops("%x: tensor<2x3xf16>", "ane.exp %x : tensor<2x3xf16>"), 6);
  EXPECT_EQ(flops("%x: tensor<2x3xf16>", "ane.reduce_sum %x : (tensor<2x3xf16>) -> tensor<f16>"), 6);
  EXPECT_EQ(
      flops("%x: tensor<2x3xf16>", "ane.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf16>) -> tensor<3x2xf16>"),
      0);
}

TEST_F(OpsTest, ResolvesWindows) {
  Operation *op = parse("%x: tensor<1x1x10xf16>, %w: tensor<1x1x3xf16>",
                        "ane.conv %x, %w {pad_type = \"same\", strides = array<i64: 2>, dilations = array<i64: 2>} : "
                        "(tensor<1x1x10xf16>, tensor<1x1x3xf16>) -> tensor<1x1x5xf16>");
  // 5 windows of 5 elements, 2 apart, cover 13: 3 of padding, the odd one behind.
  Window window = cast<ConvOp>(op).getWindow();
  EXPECT_EQ(window.padBegin, SmallVector<int64_t>{1});
  EXPECT_EQ(window.padEnd, SmallVector<int64_t>{2});
  EXPECT_EQ(window.output, SmallVector<int64_t>{5});
  op = parse("%x: tensor<1x1x10xf16>, %w: tensor<1x1x3xf16>",
             "ane.conv %x, %w {pad_type = \"same_lower\", strides = array<i64: 2>, dilations = array<i64: 2>} : "
             "(tensor<1x1x10xf16>, tensor<1x1x3xf16>) -> tensor<1x1x5xf16>");
  EXPECT_EQ(cast<ConvOp>(op).getWindow().padBegin, SmallVector<int64_t>{2});
  // Rounded up there are 4 windows, but the last would start at 6, in the padding behind 5 + 1 elements.
  op = parse("%x: tensor<1x1x5xf16>",
             "ane.max_pool %x {kernel_sizes = array<i64: 2>, strides = array<i64: 2>, pad_type = \"custom\", pad = "
             "array<i64: 1, 1>, ceil_mode = true} : (tensor<1x1x5xf16>) -> tensor<1x1x3xf16>");
  EXPECT_EQ(cast<MaxPoolOp>(op).getWindow().output, SmallVector<int64_t>{3});
}

TEST_F(OpsTest, SpellsArgumentsAsMIL) {
  using Kind = MILArgumentKind;
  auto arguments = LayerNormOp::getMILArguments();
  std::vector<std::pair<std::string, Kind>> spelled;
  for (const MILArgument &argument : arguments)
    spelled.push_back({argument.name, argument.kind});
  std::vector<std::pair<std::string, Kind>> expected = {{"x", Kind::Value},
                                                        {"gamma", Kind::OptionalValue},
                                                        {"beta", Kind::OptionalValue},
                                                        {"axes", Kind::DenseI64ArrayAttr},
                                                        {"epsilon", Kind::FloatAttr}};
  EXPECT_EQ(spelled, expected);
  EXPECT_EQ(LayerNormOp::getMILName(), "layer_norm");
  EXPECT_EQ(ScaledDotProductAttentionOp::getMinOpset(), Opset::ios18);
  EXPECT_EQ(ReshapeOp::getMinOpset(), Opset::ios15);
  EXPECT_EQ(ConcatOp::getMILArguments().front().kind, Kind::VariadicValue);
  EXPECT_EQ(ReadStateOp::getMILArguments().front().kind, Kind::FlatSymbolRefAttr);
}

TEST_F(OpsTest, MapsOperandsToArguments) {
  auto op = cast<MILSpellingOpInterface>(
      parse("%x: tensor<3x4xf16>, %b: tensor<4xf16>",
            "ane.layer_norm %x beta %b {axes = array<i64: 1>} : (tensor<3x4xf16>, tensor<4xf16>) -> tensor<3x4xf16>"));
  auto groups = getOperandsByArgument(op);
  ASSERT_EQ(groups.size(), 5u);
  EXPECT_EQ(groups[0].size(), 1u);
  EXPECT_EQ(groups[1].size(), 0u);
  ASSERT_EQ(groups[2].size(), 1u);
  EXPECT_EQ(groups[2][0], op->getOperand(1));
}

TEST_F(OpsTest, NamesElementTypes) {
  for (StringRef name : {"fp16", "fp32", "fp64", "bf16", "bool", "int4", "int8", "int16", "int32", "int64", "uint1",
                         "uint2", "uint3", "uint4", "uint6", "uint8", "uint16", "uint32", "uint64"}) {
    Type type = parseDtypeName(&context, name);
    ASSERT_TRUE(type) << name.str();
    EXPECT_EQ(getDtypeName(type), name);
  }
  for (StringRef name : {"", "float", "fp8", "int", "int1", "int6", "uint", "uint5", "int128", "ints8", "i32"})
    EXPECT_FALSE(parseDtypeName(&context, name)) << name.str();
  EXPECT_EQ(getDtypeName(IndexType::get(&context)), "");
}

TEST_F(OpsTest, InfersFromAttributesWithoutProperties) {
  // As generic builders do: a dictionary of attributes, no properties yet; defaults hold.
  OpBuilder builder(&context);
  auto x = RankedTensorType::get({2, 3, 4}, builder.getF16Type());
  module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  auto function = builder.create<func::FuncOp>(builder.getUnknownLoc(), "f", builder.getFunctionType({x}, {}));
  Value value = function.addEntryBlock()->getArgument(0);
  SmallVector<Type> types;
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr("axes", builder.getDenseI64ArrayAttr({1})));
  ASSERT_TRUE(succeeded(ReduceSumOp::inferReturnTypes(&context, std::nullopt, value, attributes, nullptr, {}, types)));
  EXPECT_EQ(types.front(), RankedTensorType::get({2, 4}, builder.getF16Type()));
  types.clear();
  ASSERT_TRUE(succeeded(SoftmaxOp::inferReturnTypes(&context, std::nullopt, value, {}, nullptr, {}, types)));
  EXPECT_EQ(types.front(), x);
}

TEST_F(OpsTest, BuildsScalarsInTheElementType) {
  module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto value = [&](Type element, double number) {
    auto op = createScalar(builder, builder.getUnknownLoc(), element, number).getDefiningOp<ConstOp>();
    return cast<DenseElementsAttr>(op.getValue());
  };
  EXPECT_EQ(value(builder.getF16Type(), 0.1).getSplatValue<APFloat>().convertToFloat(), 0.0999755859375f);
  EXPECT_EQ(value(builder.getI64Type(), -3).getSplatValue<int64_t>(), -3);
  EXPECT_EQ(value(builder.getIntegerType(8, false), 200).getSplatValue<uint8_t>(), 200);
}

} // namespace
