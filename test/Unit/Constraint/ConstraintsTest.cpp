//===- ConstraintsTest.cpp - lookup, lifting, explanation -----------------===//

#include "ane/Constraint/Constraints.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ane;

namespace {

struct ConstraintsTest : testing::Test {
  ConstraintsTest() { context.loadDialect<ANEDialect, func::FuncDialect>(); }

  TargetEnv env(Strictness strictness, StringRef chip = "h16", int64_t os = 15) {
    return TargetEnv(TargetAttr::get(&context, chip, Route::InMemory, os, Opset::ios16, strictness));
  }

  /// The first op of a function body.
  Operation *parse(StringRef function) {
    module = parseSourceString<ModuleOp>(function, &context);
    return &module->getBody()->front().getRegion(0).front().front();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ConstraintsTest, FindsIDs) {
  EXPECT_EQ(findConstraint("C05"), ConstraintID::C05);
  EXPECT_EQ(findConstraint("c5"), ConstraintID::C05);
  EXPECT_EQ(findConstraint("compile-budget"), ConstraintID::CompileBudget);
  EXPECT_EQ(findConstraint("C99"), std::nullopt);
  EXPECT_EQ(findConstraint(""), std::nullopt);
  for (const ConstraintInfo &record : allConstraints())
    EXPECT_EQ(findConstraint(record.code), record.id);
}

TEST_F(ConstraintsTest, TheTwentyAreThere) {
  unsigned twenty = 0;
  for (const ConstraintInfo &record : allConstraints())
    twenty += record.catalog;
  EXPECT_GE(twenty, 19u);
}

TEST_F(ConstraintsTest, EvidenceLiftsOnlyWhatWasMeasured) {
  EXPECT_TRUE(isEnforced(ConstraintID::Concat, env(Strictness::Catalog)));
  EXPECT_FALSE(isEnforced(ConstraintID::Concat, env(Strictness::Evidence)));
  EXPECT_EQ(findLifts(ConstraintID::Concat, env(Strictness::Evidence)).size(), 1u);
  // Measured on macOS 26: a program for macOS 15 and later is not covered.
  EXPECT_TRUE(findLifts(ConstraintID::OutputSizes, env(Strictness::Evidence, "h15", 15)).empty());
  EXPECT_EQ(findLifts(ConstraintID::OutputSizes, env(Strictness::Evidence, "h15", 26)).size(), 1u);
  // A chip without a record: nothing was measured there.
  EXPECT_TRUE(findLifts(ConstraintID::Concat, env(Strictness::Evidence, "h23")).empty());
  // In a set for all of them or not at all, each by its own lift.
  EXPECT_TRUE(findLifts(ConstraintID::OutputSizes, env(Strictness::Evidence, "h15,h16", 26)).empty());
  EXPECT_EQ(findLifts(ConstraintID::MinimumSurface, env(Strictness::Evidence, "h15,h16", 26)).size(), 2u);
  // Not where the target keeps the rule.
  TargetEnv keeping(env(Strictness::Evidence).getAttr(), Builder(&context).getStrArrayAttr({"C01"}));
  EXPECT_TRUE(isEnforced(ConstraintID::Concat, keeping));
  EXPECT_FALSE(isEnforced(ConstraintID::MinimumSurface, keeping));
  // Beyond the twenty nothing is lifted.
  EXPECT_TRUE(isEnforced(ConstraintID::Tile, env(Strictness::Evidence)));
}

TEST_F(ConstraintsTest, BlockersAreWhatNoPassRemoves) {
  TargetEnv target = env(Strictness::Catalog);
  // fp32, a composite, a linear: legalisers deal with them.
  for (StringRef op : {"ane.relu %x : tensor<64x64xf32>", "ane.gelu %x : tensor<64x64xf32>"}) {
    std::string text = ("func.func @main(%x: tensor<64x64xf32>) { %0 = " + op + " return }").str();
    Operation *parsed = parse(text);
    EXPECT_FALSE(isLegalOn(parsed, target)) << op.str();
    EXPECT_EQ(findBlocker(parsed, target), std::nullopt) << op.str();
  }
  auto blocker = findBlocker(parse("func.func @main(%x: tensor<64x64xi64>) { %0 = ane.add %x, %x : tensor<64x64xi64>, "
                                   "tensor<64x64xi64> return }"),
                             target);
  ASSERT_TRUE(blocker);
  EXPECT_EQ(blocker->id, ConstraintID::IntegerCompute);
  blocker = findBlocker(parse("func.func @main(%x: tensor<64x64xf32>) { %0 = ane.sinh %x : tensor<64x64xf32> "
                              "return }"),
                        target);
  ASSERT_TRUE(blocker);
  EXPECT_EQ(blocker->id, ConstraintID::Trigonometry);
}

TEST_F(ConstraintsTest, Explains) {
  std::string text;
  llvm::raw_string_ostream os(text);
  explainConstraint(&context, ConstraintID::C01, Route::InMemory, 15, os);
  for (StringRef part : {"C01 concat", "concat is not accepted", "symptom:    Reject",
                         "supports, disputed (Orion; M4 Max; macOS 15)", "conflicts:\n  contradicts, measured (maderix",
                         "lifted:", "verdict:", "compiler:   --ane-legalize-concat: ", "  H16    lifted by evidence\n"})
    EXPECT_NE(text.find(part.str()), std::string::npos) << part.str() << "\n" << text;
}

} // namespace
