//===- LegalityTest.cpp - how ops fare on chips and routes ----------------===//

#include "ane/Constraint/Legality.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ane;

namespace {

constexpr Route routes[] = {Route::InMemory, Route::CoreML, Route::E5RT, Route::Netlist};

TEST(LegalityTest, ExactRows) {
  Legality conv = legalityOf("conv", Tier::A16, Route::InMemory);
  EXPECT_EQ(conv.status, LegalityStatus::Native);
  EXPECT_EQ(conv.origin, LegalityOrigin::Exact);
  EXPECT_EQ(conv.inheritedFrom(), "");
  EXPECT_FALSE(conv.isInherited());
  ASSERT_FALSE(conv.rows.empty());
  EXPECT_FALSE(conv.rows.front()->evidence.empty());

  Legality mod = legalityOf("mod", Tier::A16, Route::E5RT);
  EXPECT_EQ(mod.status, LegalityStatus::Rejected);
  EXPECT_FALSE(mod.runs());
  EXPECT_EQ(mod.str(), "rejected (ANEForge, M5 Pro: not implemented on the engine)");
}

TEST(LegalityTest, NearestTierOfTheSameRoute) {
  Legality maximum = legalityOf("maximum", Tier::A16, Route::InMemory);
  EXPECT_EQ(maximum.origin, LegalityOrigin::OtherTier);
  EXPECT_EQ(maximum.from, Tier::A15);
  EXPECT_EQ(maximum.inheritedFrom(), "tier A15");
  EXPECT_TRUE(maximum.runs());
  // A sight on a later tier does not give an earlier one what its tables deny.
  Legality affine = legalityOf("affine", Tier::A13, Route::E5RT);
  EXPECT_EQ(affine.status, LegalityStatus::Gated);
  EXPECT_EQ(affine.origin, LegalityOrigin::Tables);
}

TEST(LegalityTest, TablesWhereNothingWasSeen) {
  Legality crop = legalityOf("crop", Tier::A16, Route::InMemory);
  EXPECT_EQ(crop.status, LegalityStatus::Native);
  EXPECT_EQ(crop.origin, LegalityOrigin::Tables);
  EXPECT_EQ(crop.inheritedFrom(), "the compiler's tables");
  // Claimed is not believed.
  EXPECT_FALSE(legalityOf("cumsum", Tier::A16, Route::CoreML).runs());
}

TEST(LegalityTest, ContradictionsAreKept) {
  Legality cast = legalityOf("cast", Tier::A16, Route::E5RT);
  EXPECT_TRUE(cast.conflict);
  EXPECT_EQ(cast.rows.size(), 2u);
  EXPECT_EQ(cast.status, LegalityStatus::Rejected);
  EXPECT_TRUE(legalityOf("concat", Tier::A16, Route::InMemory).conflict);
  EXPECT_FALSE(legalityOf("relu", Tier::A16, Route::InMemory).conflict);
}

TEST(LegalityTest, Unknown) {
  Legality unknown = legalityOf("frobnicate", Tier::A16, Route::InMemory);
  EXPECT_EQ(unknown.status, LegalityStatus::Unknown);
  EXPECT_EQ(unknown.origin, LegalityOrigin::Nothing);
  EXPECT_FALSE(unknown.runs());
  EXPECT_TRUE(legalityRows("frobnicate").empty());
  // A chip without a record gets the worst tier.
  EXPECT_EQ(legalityOf("affine", Tier::Unknown, Route::E5RT).status, LegalityStatus::Gated);
  EXPECT_TRUE(legalityOf("conv", Tier::Unknown, Route::InMemory).runs());
}

TEST(LegalityTest, EveryOpHasAnAnswerEverywhere) {
  MLIRContext context;
  context.loadDialect<ANEDialect>();
  unsigned ops = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != ANEDialect::getDialectNamespace())
      continue;
    ++ops;
    EXPECT_FALSE(legalityRows(name.stripDialect()).empty())
        << name.getStringRef().str() << " has no record in include/ane/Constraint/Legality";
    for (unsigned tier = 0; tier <= static_cast<unsigned>(Tier::Unknown); ++tier)
      for (Route route : routes)
        EXPECT_NE(legalityOf(name.stripDialect(), static_cast<Tier>(tier), route).status, LegalityStatus::Unknown)
            << name.getStringRef().str() << ", tier " << tierName(static_cast<Tier>(tier)) << ", "
            << stringifyRoute(route).str();
  }
  EXPECT_GT(ops, 150u);
}

/// Programs that people run through _ANEInMemoryModel use these (ane-programming.md 5).
TEST(LegalityTest, PublishedProgramsStayOnTheEngine) {
  for (StringRef op : {"add",     "concat",  "const",          "conv",          "exp",        "matmul",
                       "mul",     "pow",     "real_div",       "reduce_max",    "reduce_sum", "relu",
                       "reshape", "sigmoid", "slice_by_index", "slice_by_size", "softmax",    "sqrt",
                       "sub",     "tanh",    "transpose",      "identity"})
    EXPECT_TRUE(legalityOf(op, Tier::A16, Route::InMemory).runs()) << op.str();
}

TEST(LegalityTest, EnginesBeforeA13RunNoMIL) {
  for (StringRef op : {"conv", "add", "softmax"})
    for (Route route : routes)
      EXPECT_FALSE(legalityOf(op, Tier::Older, route).runs()) << op.str();
}

} // namespace
