//===- TargetEnvTest.cpp - names, limits and applicability of targets -----===//

#include "ane/Constraint/TargetEnv.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ane;

namespace {

struct TargetEnvTest : testing::Test {
  TargetEnvTest() { context.loadDialect<ANEDialect>(); }

  TargetEnv env(StringRef chip, int64_t os = 15, Route route = Route::InMemory,
                Strictness strictness = Strictness::Catalog) {
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
  // Phones: a generation older than the compiler's families of the same number.
  EXPECT_EQ(find("a12"), "h11");
  EXPECT_EQ(find("a14"), "h13");
  EXPECT_EQ(find("iPhone 13"), "h14");
  EXPECT_EQ(find("a16"), "h15");
  EXPECT_EQ(find("A17 Pro"), "h16");
  EXPECT_EQ(find("iPhone 15 Pro"), "h16");
  EXPECT_EQ(find("A18 Pro"), "h17");
  EXPECT_EQ(find("a19"), "h18");
  EXPECT_EQ(find("a20"), "h19");
  EXPECT_EQ(find("Apple M6"), "h18g");
  EXPECT_NE(find("a11").find("unknown target"), std::string::npos);
}

TEST_F(TargetEnvTest, EveryNameFindsItsChip) {
  unsigned chips = 0;
  for (const ChipInfo *chip = chipsBegin(); chip != chipsEnd(); ++chip, ++chips) {
    EXPECT_EQ(find(chip->target), chip->target);
    for (const char *const *alias = chip->aliases; *alias; ++alias)
      EXPECT_EQ(find(*alias), chip->target) << *alias;
  }
  EXPECT_EQ(chips, 30u);
}

TEST_F(TargetEnvTest, RefusesOtherNames) {
  EXPECT_NE(find("m4prp").find("did you mean 'm4pro'?"), std::string::npos) << find("m4prp");
  EXPECT_NE(find("h16q").find("unknown target 'h16q'; did you mean 'h16"), std::string::npos) << find("h16q");
  EXPECT_EQ(find("cortex").find("did you mean"), std::string::npos) << find("cortex");
  EXPECT_NE(find("cortex").find("known: h11, a12,"), std::string::npos) << find("cortex");
  EXPECT_NE(find("").find("unknown target ''"), std::string::npos);
}

TEST_F(TargetEnvTest, FindsSets) {
  auto sets = [&](StringRef spelling) {
    std::string error, names;
    auto chips = findChips(spelling, error);
    if (failed(chips))
      return error;
    for (const ChipInfo *chip : *chips)
      names += (names.empty() ? "" : ",") + std::string(chip->target);
    return names;
  };
  EXPECT_EQ(sets("m4"), "h16");
  // In the order of the records, each once.
  EXPECT_EQ(sets("m5, M1,h13,m4"), "h13,h16,h17");
  EXPECT_EQ(sets("any-m"), "h13,h13g,h14,h14g,h15,h15g,h16,h16g,h17,h17g,h17s,h17d,h18g");
  EXPECT_EQ(sets("any-m,h14c"), "h13,h13g,h14,h14g,h14c,h15,h15g,h16,h16g,h17,h17g,h17s,h17d,h18g");
  EXPECT_NE(sets("m1,m4prp").find("unknown target 'm4prp'; did you mean 'm4pro'?"), std::string::npos)
      << sets("m1,m4prp");
  EXPECT_NE(sets("m1,").find("unknown target ''"), std::string::npos);
#ifndef __APPLE__
  EXPECT_NE(sets("native").find("this machine is no Mac: name the chip"), std::string::npos) << sets("native");
#endif
}

TEST_F(TargetEnvTest, ASetIsTheWorstOfItsMembers) {
  TargetEnv set = env("h13,h16");
  EXPECT_EQ(set.str(), "h13, h16 (in_memory, macOS 15)");
  EXPECT_EQ(env("h13,h14,h15,h16,h17").str(), "h13 ... h17, 5 chips (in_memory, macOS 15)");
  EXPECT_EQ(set.limit(Limit::SpatialAxis), 16384);
  EXPECT_EQ(set.limit(Limit::KernelWidth), 13);
  EXPECT_EQ(set.limit(Limit::RowBytes), 64);
  Applicability a13{1u << unsigned(Tier::H13), ~0u, 0, 0}, a16{1u << unsigned(Tier::H16), ~0u, 0, 0};
  EXPECT_TRUE(set.mayApply(a13));
  EXPECT_TRUE(set.mayApply(a16));
  EXPECT_FALSE(set.surelyApplies(a16));
  EXPECT_TRUE(env("h16,h17").surelyApplies(a16));
  // One member without a path for MIL keeps everything off the engine.
  EXPECT_TRUE(set.hasMIL());
  EXPECT_FALSE(env("h12,h16").hasMIL());
  EXPECT_EQ(env("h11,h12,h16").withoutMIL(), "h11, h12");
}

TEST_F(TargetEnvTest, FactsAreKnownOrNot) {
  std::string error;
  auto fact = [&](Fact which, StringRef chip) { return factOf(which, *findChip(chip, error)); };
  EXPECT_EQ(fact(Fact::OperandBytes, "m1"), 2097152);
  EXPECT_EQ(fact(Fact::OperandBytes, "m9"), 1048576);
  EXPECT_EQ(fact(Fact::KneeBytes, "h17s"), 4720000);
  EXPECT_EQ(fact(Fact::KneeBytes, "m3"), std::nullopt);
  EXPECT_EQ(fact(Fact::TextureEngine, "m1"), 0);
  EXPECT_EQ(fact(Fact::TextureEngine, "m2"), 1);
  EXPECT_EQ(fact(Fact::Fp8, "h17"), 0);
  EXPECT_EQ(fact(Fact::Fp8, "h18"), 1);
  for (const ChipInfo &chip : allChips())
    EXPECT_GT(chip.evidenceCount, 0u) << chip.target;
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
  EXPECT_EQ(unknown.getTiers(), ArrayRef(Tier::Unknown));
  EXPECT_TRUE(unknown.hasMIL());
  EXPECT_EQ(unknown.limit(Limit::SpatialAxis), 16384);
  EXPECT_EQ(unknown.limit(Limit::KernelWidth), 13);
  EXPECT_EQ(unknown.limit(Limit::BatchAxis), 4096);
  EXPECT_EQ(unknown.str(), "h23, unknown (in_memory, macOS 15)");
}

TEST_F(TargetEnvTest, ProgramsRunOnTheOSAndLaterOnes) {
  Applicability from26{~0u, ~0u, 26, 0, true}, since26{~0u, ~0u, 26, 0, false}, until15{~0u, ~0u, 0, 15, false};
  EXPECT_TRUE(env("h16", 15).mayApply(from26));
  EXPECT_FALSE(env("h16", 15).mayApply(since26));
  EXPECT_TRUE(env("h16", 26).mayApply(since26));
  EXPECT_FALSE(env("h16", 15).surelyApplies(from26));
  EXPECT_TRUE(env("h16", 26).surelyApplies(from26));
  EXPECT_TRUE(env("h16", 15).mayApply(until15));
  EXPECT_FALSE(env("h16", 26).mayApply(until15));
  EXPECT_FALSE(env("h16", 15).surelyApplies(until15));
  // What an older OS was seen to run binds programs for the newer one only.
  Applicability only27{~0u, ~0u, 27, 0, /*ahead=*/false};
  EXPECT_FALSE(env("h16", 26).mayApply(only27));
  EXPECT_TRUE(env("h16", 27).mayApply(only27));
  // What is not known may apply, never surely.
  Applicability a13{1u << unsigned(Tier::H13), ~0u, 0, 0, false};
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
