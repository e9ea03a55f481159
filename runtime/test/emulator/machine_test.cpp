//===- machine_test.cpp - Programs whose weights change -------------------===//

#include "runtime/core/weight_ways.h"
#include "runtime/device/refusal.h"
#include "runtime/test/emulator/device_fixture.h"

#include <gtest/gtest.h>

namespace ane::rt::emulator {
namespace {

std::unique_ptr<Device> deviceOf(const std::string &mode, const lint::TargetSpelling &target = {}) {
  absl::StatusOr<Behaviours> told = parseBehaviours(mode);
  EXPECT_TRUE(told.ok()) << told.status();
  EmulatorOptions options;
  options.mode = told->mode;
  options.machine = told->machine;
  options.target = target;
  return makeEmulatorDevice(options);
}

TEST(Machine, IsSpelledBehindTheMode) {
  absl::StatusOr<Behaviours> told = parseBehaviours("faithful:reload=fresh,donor=refused,compilations=20,failures=7");
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(told->mode, Mode::Faithful);
  EXPECT_TRUE(told->machine.reloadIsFresh);
  EXPECT_FALSE(told->machine.takesDonors);
  EXPECT_EQ(told->machine.compilations, 20);
  EXPECT_EQ(told->machine.failures, 7);
  told = parseBehaviours("faithful:donor=taken,reload=stale");
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_FALSE(told->machine.reloadIsFresh);
  EXPECT_TRUE(told->machine.takesDonors);
  EXPECT_EQ(parseBehaviours("")->mode, Mode::Lint);
  EXPECT_EQ(parseBehaviours("plain")->mode, Mode::Plain);
  for (auto [text, words] : {std::pair("strict", "has no mode 'strict'"),
                             {"plain:reload=fresh", "only faithful mode is of a machine; leave out ':reload=fresh'"},
                             {"faithful:", "'' is none of"},
                             {"faithful:reload", "'reload' is none of reload=fresh"},
                             {"faithful:reload=old", "'reload=old'"},
                             {"faithful:donor=fresh", "'donor=fresh'"},
                             {"faithful:compilations=0", "'compilations=0'"},
                             {"faithful:compilations=many", "'compilations=many'"},
                             {"faithful:failures=1", "'failures=1'"},
                             {"faithful:reload=fresh,", "'' is none of"}}) {
    absl::Status status = parseBehaviours(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_NE(status.message().find(words), absl::string_view::npos) << status;
  }
}

TEST(Machine, IsProbed) {
  const std::string old = "it computes with the old weights";
  struct Case {
    const char *mode;
    bool patch, donor;
    const char *text, *whenPatch;
  };
  for (const Case &c : {Case{"lint", true, true, "patch", "patch"},
                        {"plain", true, true, "patch", "patch"},
                        {"faithful:reload=fresh", true, true, "patch", "patch"},
                        {"faithful", false, true, "donor, since by patch it computes with the old weights",
                         "donor, since by patch it computes with the old weights"},
                        {"faithful:reload=fresh,donor=refused", true, false, "patch", "patch"},
                        {"faithful:donor=refused", false, false,
                         "recompile, since by patch it computes with the old weights, and by donor program 'probe of "
                         "weights': this machine loads nothing with what was compiled of another program",
                         "recompile, since by patch it computes with the old weights"},
                        // Of the probe's evaluations one in two fails, and is tried again.
                        {"faithful:failures=2", false, true, "donor, since by patch it computes with the old weights",
                         "donor, since by patch it computes with the old weights"}}) {
    SCOPED_TRACE(c.mode);
    const WeightWays ways = probeWeightWays(*deviceOf(c.mode));
    EXPECT_EQ(ways.works(WeightWay::Patch), c.patch) << ways.whyNoPatch;
    EXPECT_EQ(ways.works(WeightWay::Donor), c.donor) << ways.whyNoDonor;
    EXPECT_FALSE(ways.mayPass);
    EXPECT_EQ(ways.text(std::nullopt), c.text);
    EXPECT_EQ(ways.text(WeightWay::Patch), c.whenPatch);
    EXPECT_EQ(ways.text(WeightWay::Recompile), "recompile");
  }
  WeightWays ways;
  EXPECT_EQ(ways.order(WeightWay::Patch), std::vector<WeightWay>{WeightWay::Recompile});
  ways.whyNoPatch = ways.whyNoDonor = "";
  EXPECT_EQ(ways.order(std::nullopt),
            (std::vector<WeightWay>{WeightWay::Patch, WeightWay::Donor, WeightWay::Recompile}));
  EXPECT_EQ(ways.order(WeightWay::Recompile),
            (std::vector<WeightWay>{WeightWay::Recompile, WeightWay::Patch, WeightWay::Donor}));
  EXPECT_EQ(**weightWayFrom("donor"), WeightWay::Donor);
  EXPECT_FALSE(*weightWayFrom("auto"));
  EXPECT_FALSE(weightWayFrom("inputs").ok());
}

// The probe is legal wherever programs in MIL are.
TEST(Machine, IsProbedOnEachTarget) {
  int probed = 0;
  for (const lint::Chip &chip : lint::allChips())
    for (const char *route : lint::allRoutes())
      for (const char *os : {"13", "15", "26"})
        for (const char *strictness : {"catalog", "evidence"})
          for (const char *mode : {"lint", "faithful:reload=fresh"}) {
            if (!chip.hasMIL || std::string(route) == "netlist")
              continue;
            const WeightWays ways = probeWeightWays(*deviceOf(mode, {chip.name, route, os, strictness}));
            EXPECT_TRUE(ways.whyNoPatch.empty() && ways.whyNoDonor.empty())
                << chip.name << " " << route << " " << os << " " << mode << ": " << ways.whyNoPatch;
            ++probed;
          }
  EXPECT_GT(probed, 100);
}

/// y = x * 2, of a text without files.
ProgramDesc doubling() {
  ProgramDesc desc;
  desc.name = "doubling";
  desc.milText = R"(program(1.3)
{
    func main<ios18>(tensor<fp16, [1, 8, 1, 32]> x) {
        fp16 two = const()[name = string("two"), val = fp16(0x1p+1)];
        tensor<fp16, [1, 8, 1, 32]> y = mul(x = x, y = two)[name = string("y")];
    } -> (y);
}
)";
  desc.procedures[0].inputs = {surface("x", {1, 8, 1, 32})};
  desc.procedures[0].outputs = {surface("y", {1, 8, 1, 32})};
  return desc;
}

TEST(Machine, APatchedProgramIsGoneAndADonorStays) {
  auto device = deviceOf("faithful:reload=fresh");
  const ProgramDesc desc = doubling();
  auto first = device->load(desc);
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = (*first)->updateWeights(WeightWay::Donor, nullptr, {});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_TRUE(evaluate(*device, **first, desc, {}).ok());
  auto third = (*second)->updateWeights(WeightWay::Patch, nullptr, {});
  ASSERT_TRUE(third.ok()) << third.status();
  EXPECT_EQ(evaluate(*device, **second, desc, {}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(evaluate(*device, **third, desc, {}).ok());
  EXPECT_EQ((*third)->updateWeights(WeightWay::Recompile, nullptr, {}).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(Machine, CompilesAsManyProgramsAsItHasABudgetFor) {
  for (int64_t budget : {3, 200}) { // fewer and more than the target's
    auto device = deviceOf("faithful:compilations=" + std::to_string(budget));
    EXPECT_EQ(device->budgets().compilations, budget);
    const ProgramDesc desc = doubling();
    std::unique_ptr<DeviceProgram> program;
    for (int64_t i = 0; i < budget; ++i) {
      auto loaded = device->load(desc);
      ASSERT_TRUE(loaded.ok()) << i << " " << loaded.status();
      program = *std::move(loaded);
    }
    absl::Status status = device->load(desc).status();
    EXPECT_EQ(refusalOf(status), Refusal::Transient) << status;
    EXPECT_NE(status.message().find("this machine compiles no more (C05)"), absl::string_view::npos) << status;
    // Loads do not count.
    EXPECT_TRUE(program->updateWeights(WeightWay::Donor, nullptr, {}).ok());
  }
}

TEST(Machine, FailsOnceInSoManyEvaluations) {
  auto device = deviceOf("faithful:failures=3");
  const ProgramDesc desc = doubling();
  auto program = device->load(desc);
  ASSERT_TRUE(program.ok()) << program.status();
  std::string found;
  for (int i = 0; i < 9; ++i) {
    auto values = evaluate(*device, **program, desc, {{"x", {1}}});
    found += values.ok() ? '.' : 'x';
    if (values.ok())
      EXPECT_EQ(values->at("y")[0], 2);
    else
      EXPECT_NE(values.status().message().find("status=0x1d"), absl::string_view::npos) << values.status();
  }
  EXPECT_EQ(found, "..x..x..x");
}

} // namespace
} // namespace ane::rt::emulator
