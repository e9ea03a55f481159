//===- machine_test.cpp - which engine a machine has ----------------------===//
#include "runtime/device/ane/ioreport.h"
#include "runtime/device/ane/machine.h"

#include "absl/strings/str_join.h"

#include <gtest/gtest.h>

namespace ane::rt::engine {
namespace {

std::string targets(const char *engine, const char *processor) {
  auto found = targetsOf({engine, processor});
  return found.ok() ? absl::StrJoin(*found, ",") : std::string(found.status().message());
}

TEST(Machine, TargetsByTheNamesOfEngineAndProcessor) {
  // M4 and the base M5 call their engines h16: the processor tells, else both are meant.
  EXPECT_EQ(targets("h16", "Apple M4"), "h16");
  EXPECT_EQ(targets("h16", "Apple M5"), "h17");
  EXPECT_EQ(targets("h16", ""), "h16,h17");
  EXPECT_EQ(targets("h16", "Apple M9"), "h16,h17");
  EXPECT_EQ(targets("", "Apple M2 Pro"), "h14g");
  EXPECT_EQ(targets("h14g", "Apple M2"), "h14");
  EXPECT_EQ(targets("h14g", "Apple M2 Pro"), "h14g");
  EXPECT_EQ(targets("h16g", "Apple M4"), "h16");
  EXPECT_EQ(targets("h18g", ""), "h18g");
  EXPECT_EQ(targets("h99", ""),
            "no record says which chip this machine has: its engine calls itself 'h99', its processor ''");
}

TEST(Machine, BundlesForItsCapabilities) {
  const Machine m4 = {"h16g", "Apple M4"};
  EXPECT_TRUE(checkTarget("h16", m4).ok());
  EXPECT_TRUE(checkTarget("h13,h17s", m4).ok()) << "chips of one tier have the same capabilities";
  EXPECT_EQ(checkTarget("h13,h14", m4).message(),
            "the bundle is compiled for h13,h14, and this machine has h16 (Apple M4, whose engine calls itself h16g): "
            "compile it with --target=h16, or for both with --target=h13,h14,h16");
}

TEST(Machine, NamesOfTargets) {
  EXPECT_TRUE(isNative("native"));
  EXPECT_TRUE(isNative("native:/lib.so"));
  for (const char *other : {"", "m4", "native:", "nativ", "natives"})
    EXPECT_FALSE(isNative(other)) << other;
  EXPECT_EQ(*namedTargets("m4"), std::vector<std::string>{"m4"});
#ifndef __APPLE__
  EXPECT_EQ(namedTargets("native").status().code(), absl::StatusCode::kUnimplemented);
#endif
  EXPECT_FALSE(namedTargets("native:/no/such/library.so").ok());
}

TEST(Energy, NotEverywhere) {
#ifndef __APPLE__
  EXPECT_EQ(makeEnergyMeter().status().code(), absl::StatusCode::kUnimplemented);
#endif
  EXPECT_FALSE(makeEnergyMeter({"/no/such/library.so"}).ok());
}

#ifdef ANE_SIMULATED_FRAMEWORK
TEST(Energy, PartsOfTheChipSinceTheReadingBefore) {
  auto meter = makeEnergyMeter({ANE_SIMULATED_FRAMEWORK});
  ASSERT_TRUE(meter.ok()) << meter.status();
  const Energy expected = {{"ane", 3000000}, {"cpu", 5000000}, {"dram", 2000000}, {"gpu", 0}};
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(*(*meter)->read(), expected);
}

TEST(Machine, ReadFromRegistryAndSystem) {
  auto machine = readMachine({ANE_SIMULATED_FRAMEWORK});
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ(machine->engine, "h16g");
  EXPECT_EQ(machine->processor, "Apple M4");
  EXPECT_EQ(machine->model, "Mac16,10");
  EXPECT_EQ(machine->osVersion, "15.6");
  EXPECT_EQ(machine->osBuild, "24G84");
  EXPECT_EQ(*namedTargets("native:" ANE_SIMULATED_FRAMEWORK), std::vector<std::string>{"h16"});
}
#endif

} // namespace
} // namespace ane::rt::engine
