//===- LegalityTest.cpp - how ops fare on chips and routes ----------------===//

#include "ane/Constraint/Legality.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ane;

namespace {

constexpr Route routes[] = {Route::InMemory, Route::CoreML, Route::E5RT, Route::Netlist};

TEST(LegalityTest, ExactRows) {
  Legality conv = legalityOf("conv", Tier::H16, Route::InMemory, 15);
  EXPECT_EQ(conv.status, LegalityStatus::Native);
  EXPECT_EQ(conv.origin, LegalityOrigin::Exact);
  EXPECT_EQ(conv.inheritedFrom(), "");
  EXPECT_FALSE(conv.isInherited());
  ASSERT_FALSE(conv.rows.empty());
  EXPECT_FALSE(conv.rows.front()->evidence.empty());

  Legality mod = legalityOf("mod", Tier::H16, Route::E5RT, 15);
  EXPECT_EQ(mod.status, LegalityStatus::Rejected);
  EXPECT_FALSE(mod.runs());
  EXPECT_EQ(mod.str(), "rejected (ANEForge, M5 Pro: not implemented on the engine)");
}

TEST(LegalityTest, NearestTierOfTheSameRoute) {
  Legality maximum = legalityOf("maximum", Tier::H16, Route::InMemory, 15);
  EXPECT_EQ(maximum.origin, LegalityOrigin::OtherTier);
  EXPECT_EQ(maximum.from, Tier::H15);
  EXPECT_EQ(maximum.inheritedFrom(), "tier H15");
  EXPECT_TRUE(maximum.runs());
  // A sight on a later tier does not give an earlier one what its tables deny.
  Legality affine = legalityOf("affine", Tier::H13, Route::E5RT, 15);
  EXPECT_EQ(affine.status, LegalityStatus::Gated);
  EXPECT_EQ(affine.origin, LegalityOrigin::Tables);
}

TEST(LegalityTest, TablesWhereNothingWasSeen) {
  Legality crop = legalityOf("crop", Tier::H16, Route::InMemory, 15);
  EXPECT_EQ(crop.status, LegalityStatus::Native);
  EXPECT_EQ(crop.origin, LegalityOrigin::Tables);
  EXPECT_EQ(crop.inheritedFrom(), "the compiler's tables");
  // Claimed is not believed.
  EXPECT_FALSE(legalityOf("cumsum", Tier::H16, Route::CoreML, 15).runs());
}

TEST(LegalityTest, ContradictionsAreKept) {
  Legality cast = legalityOf("cast", Tier::H16, Route::E5RT, 15);
  EXPECT_TRUE(cast.conflict);
  EXPECT_EQ(cast.rows.size(), 2u);
  EXPECT_EQ(cast.status, LegalityStatus::Rejected);
  EXPECT_TRUE(legalityOf("concat", Tier::H16, Route::InMemory, 15).conflict);
  EXPECT_FALSE(legalityOf("relu", Tier::H16, Route::InMemory, 15).conflict);
}

/// What the records of ops come to by macOS; how rows outdate each other is tested in Tools/ane-tblgen/legality.td.
TEST(LegalityTest, RowsThatAnOlderMacOSAloneShowed) {
  Legality older = legalityOf("slice_by_index", Tier::H15, Route::InMemory, 15);
  EXPECT_EQ(older.status, LegalityStatus::Conditional);
  EXPECT_EQ(older.rows.size(), 2u);
  EXPECT_EQ(older.str(),
            "native; wrong or rejected under a condition: not of a program's input (C75) (Espresso, M3 Max, "
            "macOS 15: fails on inputs of complex programs (Q46))");
  EXPECT_EQ(legalityOf("slice_by_index", Tier::H15, Route::InMemory, 25).status, LegalityStatus::Conditional);
  for (int64_t os : {26, 27, 99}) {
    Legality newer = legalityOf("slice_by_index", Tier::H15, Route::InMemory, os);
    EXPECT_EQ(newer.status, LegalityStatus::Native);
    EXPECT_EQ(newer.rows.size(), 1u);
  }
  EXPECT_EQ(legalityChanges("slice_by_index"), SmallVector<int64_t>{26});
  // Refused on macOS 27, which programs for older versions meet, too.
  EXPECT_EQ(legalityOf("pow", Tier::H16, Route::InMemory, 15).status, LegalityStatus::Conditional);
  EXPECT_EQ(legalityOf("pow", Tier::H16, Route::InMemory, 26).rows.size(), 2u);
  EXPECT_EQ(legalityOf("pow", Tier::H16, Route::InMemory, 27).rows.size(), 1u);
  EXPECT_TRUE(legalityChanges("relu").empty());
}

TEST(LegalityTest, OfAnOperationOnATarget) {
  MLIRContext context;
  context.loadDialect<ANEDialect>();
  OwningOpRef<Operation *> op =
      Operation::create(UnknownLoc::get(&context), OperationName("ane.slice_by_index", &context), {}, {},
                        DictionaryAttr::get(&context), nullptr, {}, 0);
  for (auto [os, status] : {std::pair(15, LegalityStatus::Conditional), std::pair(26, LegalityStatus::Native)}) {
    std::string error;
    FailureOr<TargetAttr> target = parseTarget(&context, "m3", error, Route::InMemory, os);
    ASSERT_TRUE(succeeded(target)) << error;
    EXPECT_EQ(legalityOf(op.get(), TargetEnv(*target)).status, status) << os;
  }
}

/// A program for a newer macOS runs on fewer systems.
TEST(LegalityTest, ANewerMacOSTakesNothingAway) {
  MLIRContext context;
  context.loadDialect<ANEDialect>();
  for (RegisteredOperationName name : context.getRegisteredOperations())
    for (unsigned tier = 0; tier <= static_cast<unsigned>(Tier::Unknown); ++tier)
      for (Route route : routes)
        for (int64_t os = 11; os < 30; ++os)
          EXPECT_LE(legalityOf(name.stripDialect(), static_cast<Tier>(tier), route, os + 1).status,
                    legalityOf(name.stripDialect(), static_cast<Tier>(tier), route, os).status)
              << name.getStringRef().str() << ", macOS " << os;
}

TEST(LegalityTest, Unknown) {
  Legality unknown = legalityOf("frobnicate", Tier::H16, Route::InMemory, 15);
  EXPECT_EQ(unknown.status, LegalityStatus::Unknown);
  EXPECT_EQ(unknown.origin, LegalityOrigin::Nothing);
  EXPECT_FALSE(unknown.runs());
  EXPECT_TRUE(legalityRows("frobnicate").empty());
  // A chip without a record gets the worst tier.
  EXPECT_EQ(legalityOf("affine", Tier::Unknown, Route::E5RT, 15).status, LegalityStatus::Gated);
  EXPECT_TRUE(legalityOf("conv", Tier::Unknown, Route::InMemory, 15).runs());
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
        EXPECT_NE(legalityOf(name.stripDialect(), static_cast<Tier>(tier), route, 15).status, LegalityStatus::Unknown)
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
    EXPECT_TRUE(legalityOf(op, Tier::H16, Route::InMemory, 15).runs()) << op.str();
}

TEST(LegalityTest, EnginesBeforeH13RunNoMIL) {
  for (StringRef op : {"conv", "add", "softmax"})
    for (Route route : routes)
      EXPECT_FALSE(legalityOf(op, Tier::Older, route, 15).runs()) << op.str();
}

} // namespace
