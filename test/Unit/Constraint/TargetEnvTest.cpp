//===- TargetEnvTest.cpp - names, limits and applicability of targets -----===//

#include "ane/Constraint/TargetEnv.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ane;

namespace {

struct TargetEnvTest : testing::Test {
  TargetEnvTest() { context.loadDialect<ANEDialect>(); }

  TargetEnv env(StringRef chip, int64_t os = 15, Route route = Route::InMemory, Strictness strictness = Strictness::Catalog) {
    return TargetEnv(TargetAttr::get(&context, chip, route, os, Opset::ios16, strictness));
  }

  /// The target of a spelling, or the error.
  std::string find(StringRef spelling) {
    std::string error;
    const ChipInfo *chip = findChip(spelling, error);
    return chip ? chip->target : error;
  }

  MLIRContext context;
};

TEST_F(TargetEnvTest, TakesCompilerAndMarketingNames) {
  EXPECT_EQ(find("h13"), "h13");
  EXPECT_EQ(find("H17D"), "h17d");
  EXPECT_EQ(find("m1"), "h13");
  EXPECT_EQ(find("m2pro"), "h14g");
  EXPECT_EQ(find("M4"), "h16");
  EXPECT_EQ(find("Apple M4 Pro"), "h16g");
  EXPECT_EQ(find("m5-pro"), "h17s");
  EXPECT_EQ(find("a17"), "h17");
  EXPECT_EQ(find("A18 Pro"), "h18");
}

TEST_F(TargetEnvTest, EveryNameFindsItsChip) {
  unsigned chips = 0;
  for (const ChipInfo *chip = chipsBegin(); chip != chipsEnd(); ++chip, ++chips) {
    if (!chip->selectable)
      continue;
    EXPECT_EQ(find(chip->target), chip->target);
    for (const char *const *alias = chip->aliases; *alias; ++alias)
      EXPECT_EQ(find(*alias), chip->target) << *alias;
  }
  EXPECT_EQ(chips, 28u);
}

TEST_F(TargetEnvTest, RefusesOtherNames) {
  EXPECT_NE(find("m4prp").find("did you mean 'm4pro'?"), std::string::npos) << find("m4prp");
  EXPECT_NE(find("h16q").find("unknown target 'h16q'; did you mean 'h16"), std::string::npos) << find("h16q");
  EXPECT_EQ(find("cortex").find("did you mean"), std::string::npos) << find("cortex");
  EXPECT_NE(find("cortex").find("known: h11, a11,"), std::string::npos) << find("cortex");
  EXPECT_NE(find("").find("unknown target ''"), std::string::npos);
  // References inside Apple's compiler are no targets.
  EXPECT_NE(find("u1").find("unknown target"), std::string::npos);
}

TEST_F(TargetEnvTest, LimitsDependOnTierAndRoute) {
  EXPECT_EQ(env("h13").limit(Limit::SpatialAxis), 16384);
  EXPECT_EQ(env("h16").limit(Limit::SpatialAxis), 65536);
  EXPECT_EQ(env("h16").limit(Limit::Rank), 4);
  EXPECT_EQ(env("h16", 15, Route::E5RT).limit(Limit::Rank), 5);
  EXPECT_EQ(env("h16").limit(Limit::RowBytes), 64);
  EXPECT_EQ(env("h16").limit(Limit::MinSurfaceBytes), 49152);
  EXPECT_EQ(env("h16").limit(Limit::ConvChannelSlice), 16384);
}

TEST_F(TargetEnvTest, UnknownChipsGetTheWorst) {
  TargetEnv unknown = env("h23");
  EXPECT_EQ(unknown.getChip(), nullptr);
  EXPECT_EQ(unknown.getTier(), Tier::Unknown);
  EXPECT_TRUE(unknown.hasMIL());
  EXPECT_EQ(unknown.limit(Limit::SpatialAxis), 16384);
  EXPECT_EQ(unknown.limit(Limit::KernelWidth), 13);
  EXPECT_EQ(unknown.limit(Limit::BatchAxis), 4096);
  EXPECT_EQ(unknown.str(), "h23, unknown (in_memory, macOS 15)");
}

TEST_F(TargetEnvTest, ProgramsRunOnTheOSAndLaterOnes) {
  Applicability from26{~0u, ~0u, 26, 0}, until15{~0u, ~0u, 0, 15};
  EXPECT_TRUE(env("h16", 15).mayApply(from26));
  EXPECT_FALSE(env("h16", 15).surelyApplies(from26));
  EXPECT_TRUE(env("h16", 26).surelyApplies(from26));
  EXPECT_TRUE(env("h16", 15).mayApply(until15));
  EXPECT_FALSE(env("h16", 26).mayApply(until15));
  EXPECT_FALSE(env("h16", 15).surelyApplies(until15));
  // What is not known may apply, never surely.
  Applicability a13{1u << unsigned(Tier::A13), ~0u, 0, 0};
  EXPECT_TRUE(env("h23").mayApply(a13));
  EXPECT_FALSE(env("h23").surelyApplies(a13));
  EXPECT_FALSE(env("h16").mayApply(a13));
}

TEST_F(TargetEnvTest, MasksAreExactlyZeroAndFinite) {
  double mask = env("h16").numeric(Numeric::MaskValue);
  EXPECT_GT(2 * mask, -env("h16").numeric(Numeric::Fp16Max));
  EXPECT_GT(mask, -env("h16").numeric(Numeric::AccumulatorMax));
  EXPECT_LT(mask, -10000);
}

TEST_F(TargetEnvTest, DefaultTarget) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  EXPECT_EQ(lookupTargetEnv(*module).str(), "h16 (in_memory, macOS 15)");
  (*module)->setAttr("ane.target", env("h13g", 26).getAttr());
  EXPECT_EQ(lookupTargetEnv(*module).str(), "h13g (in_memory, macOS 26)");
}

} // namespace
