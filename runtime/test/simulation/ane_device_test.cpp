//===- ane_device_test.cpp - Device ane on the simulated framework --------===//
#include "absl/strings/str_cat.h"
#include "runtime/core/devices.h"
#include "runtime/core/probe_program.h"
#include "runtime/core/weight_ways.h"
#include "runtime/device/ane/errors.h"
#include "runtime/lint/target.h"
#include "runtime/support/half.h"
#include "runtime/test/simulation/simulation.h"

#include <cstring>

using namespace ane::rt;

namespace {

class AneDevice : public test::Simulation {
protected:
  static ProgramDesc doubled() {
    ProgramDesc desc;
    desc.name = "doubled";
    desc.milText = "program(1.3)\n{\nfunc main<ios18>(tensor<fp16, [1, 8, 1, 64]> b, tensor<fp16, [1, 8, 1, 64]> a) {\n"
                   "tensor<fp16, [1, 8, 1, 64]> z = add(x = a, y = a)[name = string(\"z\")];\n"
                   "tensor<fp16, [1, 8, 1, 64]> y = sub(x = a, y = b)[name = string(\"y\")];\n} -> (z, y);\n}\n";
    auto port = [](const char *name) { return makeSurfaceDesc(name, ElementType::Float16, {1, 8, 1, 64}); };
    desc.procedures = {{"main", {port("b"), port("a")}, {port("z"), port("y")}}};
    return desc;
  }
  std::vector<std::unique_ptr<Surface>> surfaces(const std::vector<SurfaceDesc> &ports) {
    std::vector<std::unique_ptr<Surface>> made;
    for (const SurfaceDesc &port : ports)
      made.push_back(*device->allocate(port));
    return made;
  }
  static void fill(Surface &surface, float value) {
    auto mapped = surface.map(Access::Write);
    const uint16_t half = floatToHalf(value);
    for (int i = 0; i < 8 * 64; ++i)
      std::memcpy(mapped->data() + i * 2, &half, 2);
  }
  static float first(Surface &surface) {
    uint16_t half;
    std::memcpy(&half, surface.map(Access::Read)->data(), 2);
    return halfToFloat(half);
  }
};

// Surfaces are bound by name, in whatever order the framework has its symbols.
TEST_F(AneDevice, CompilesLoadsAndEvaluates) {
  const ProgramDesc desc = doubled();
  auto program = device->create(desc);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_FALSE((*program)->isCompiled());
  ASSERT_EQ((*program)->compile(), absl::OkStatus());
  auto inputs = surfaces(desc.procedures[0].inputs), outputs = surfaces(desc.procedures[0].outputs);
  fill(*inputs[0], 1);
  fill(*inputs[1], 3);
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ((*program)->load(), absl::OkStatus());
    auto request = (*program)->request(0, {inputs[0].get(), inputs[1].get()}, {outputs[0].get(), outputs[1].get()});
    ASSERT_TRUE(request.ok()) << request.status();
    ASSERT_TRUE((*program)->submit(**request).ok());
    EXPECT_EQ(first(*outputs[0]), 6);
    EXPECT_EQ(first(*outputs[1]), 2);
    request->reset();
    (*program)->unload();
  }
}

TEST_F(AneDevice, WhatWasCompiledIsNotCompiledAgain) {
  {
    auto program = device->load(doubled());
    ASSERT_TRUE(program.ok()) << program.status();
  }
  auto again = device->create(doubled());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE((*again)->isCompiled());
  EXPECT_EQ((*again)->load(), absl::OkStatus());
  ProgramDesc other = doubled();
  other.milText.replace(other.milText.find("sub(x"), 3, "mul");
  EXPECT_FALSE((*device->create(other))->isCompiled());
}

TEST_F(AneDevice, RecompilingIsProbed) {
  EXPECT_EQ(probeRecompiling(*device), "");
  // Its text tells the weights, also where the framework's identifier covers their names alone.
  ASSERT_TRUE(test::set("identifier=keys"));
  EXPECT_EQ(probeRecompiling(*device), "");
  ASSERT_TRUE(test::schedule("compile@1x10=1:InvalidMILProgram"));
  ASSERT_TRUE(test::set("identifier=content keeps=no"));
  EXPECT_NE(probeRecompiling(*device).find("the probe does not run: "), std::string::npos);
  EXPECT_TRUE(test::set("keeps=yes"));
}

// To the framework they are one, which is loaded as long as one of them is.
TEST_F(AneDevice, TwoProgramsOfOneText) {
  const ProgramDesc desc = doubled();
  const int64_t compiled = test::ask<int64_t>("simulated_calls", int(kSimulatedCompile)),
                loaded = test::ask<int64_t>("simulated_calls", int(kSimulatedLoad));
  auto one = device->load(desc), other = device->load(desc);
  ASSERT_TRUE(one.ok() && other.ok()) << one.status() << other.status();
  EXPECT_EQ(test::ask<int64_t>("simulated_calls", int(kSimulatedCompile)) - compiled, 1);
  EXPECT_EQ(test::ask<int64_t>("simulated_calls", int(kSimulatedLoad)) - loaded, 1);
  auto inputs = surfaces(desc.procedures[0].inputs), outputs = surfaces(desc.procedures[0].outputs);
  std::vector<Surface *> given = {inputs[0].get(), inputs[1].get()}, taken = {outputs[0].get(), outputs[1].get()};
  fill(*inputs[0], 1);
  fill(*inputs[1], 3);
  (*one)->unload();
  EXPECT_EQ((*other)->evaluate(0, given, taken), absl::OkStatus());
  EXPECT_EQ(first(*outputs[0]), 6);
  // Nobody patches what is another's, too.
  ASSERT_EQ((*one)->load(), absl::OkStatus());
  EXPECT_EQ((*one)->updateWeights(WeightWay::Patch, nullptr, {}).status().code(), absl::StatusCode::kUnimplemented);
  // What is lost for one is lost for both, and each finds back.
  ASSERT_TRUE(test::schedule("evaluate@1=daemon"));
  EXPECT_EQ(refusalOf((*one)->evaluate(0, given, taken)), Refusal::Gone);
  for (auto &program : {&one, &other}) {
    (**program)->unload();
    ASSERT_EQ((**program)->load(), absl::OkStatus());
    EXPECT_EQ((**program)->evaluate(0, given, taken), absl::OkStatus());
  }
}

// Of a place that both have lost, who has none anew takes none away.
TEST_F(AneDevice, APlaceThatWasLost) {
  const ProgramDesc desc = doubled();
  auto one = device->load(desc), other = device->load(desc);
  ASSERT_TRUE(one.ok() && other.ok()) << one.status() << other.status();
  auto inputs = surfaces(desc.procedures[0].inputs), outputs = surfaces(desc.procedures[0].outputs);
  std::vector<Surface *> given = {inputs[0].get(), inputs[1].get()}, taken = {outputs[0].get(), outputs[1].get()};
  ASSERT_TRUE(test::schedule("evaluate@1=daemon;load@1=0x50004:Program load failure (0x50004)"));
  EXPECT_FALSE((*one)->evaluate(0, given, taken).ok());
  (*one)->unload();
  EXPECT_FALSE((*one)->load().ok());
  EXPECT_TRUE((*one)->isCompiled()) << "there was no room, but what was compiled is there";
  ASSERT_EQ((*one)->load(), absl::OkStatus());
  (*other)->unload();
  EXPECT_EQ((*one)->evaluate(0, given, taken), absl::OkStatus());
}

// An exception between loading and the first request leaves no program that seems to be loaded.
TEST_F(AneDevice, IsLoadedWhenItsSymbolsAreThere) {
  const ProgramDesc desc = doubled();
  auto program = device->create(desc);
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_EQ((*program)->compile(), absl::OkStatus());
  auto inputs = surfaces(desc.procedures[0].inputs), outputs = surfaces(desc.procedures[0].outputs);
  std::vector<Surface *> given = {inputs[0].get(), inputs[1].get()}, taken = {outputs[0].get(), outputs[1].get()};
  ASSERT_TRUE(test::schedule("attributes@1=exception"));
  EXPECT_FALSE((*program)->load().ok());
  EXPECT_EQ((*program)->request(0, given, taken).status().code(), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ((*program)->load(), absl::OkStatus());
  EXPECT_EQ((*program)->evaluate(0, given, taken), absl::OkStatus());
}

// Whether the system has kept something is a question that need not have an answer.
TEST_F(AneDevice, NobodySaysWhatIsKept) {
  ASSERT_TRUE(test::schedule("exists@1x9=exception"));
  auto program = device->load(doubled());
  EXPECT_TRUE(program.ok()) << program.status();
}

TEST_F(AneDevice, HasTheBudgetsOfTheRecords) {
  auto target = lint::Target::parse({"m4", "", "", "evidence"});
  ASSERT_TRUE(target.ok()) << target.status();
  const ProgramBudgets budgets = device->budgets();
  EXPECT_EQ(budgets.compilations, target->limit(lint::Limit::CompiledPrograms));
  EXPECT_EQ(budgets.loaded, target->limit(lint::Limit::LoadedPrograms));
  EXPECT_EQ(budgets.bytes, target->limit(lint::Limit::LoadedBytes));
}

TEST_F(AneDevice, RefusesWhatTheCompilerRefuses) {
  ProgramDesc wrong = doubled();
  wrong.milText.replace(wrong.milText.find("sub(x"), 3, "foo");
  absl::Status status = device->load(wrong).status();
  EXPECT_EQ(refusalOf(status), Refusal::Program) << status;
  EXPECT_EQ(codeOf(status), "InvalidMILProgram");
  EXPECT_EQ(status.message().find("C224"), absl::string_view::npos) << status;
  ASSERT_TRUE(test::schedule("compile@1x9=1:InvalidMILProgram"));
  auto many = ProbeProgram::create(*device, "p", {17, 1});
  ASSERT_TRUE(many.ok()) << many.status();
  many->desc.folder = *many->filesWith(2);
  status = device->load(many->desc).status();
  EXPECT_EQ(codeOf(status), "InvalidMILProgram");
  EXPECT_NE(status.message().find("it reads 17 weights of files, and more than 16 constants may be why (C224)"),
            absl::string_view::npos)
      << status;
}

TEST(AneErrors, MeanWhatWasReported) {
  auto kind = [](const char *text, int64_t code) { return refusalOf(engine::statusOf("program p", text, code)); };
  EXPECT_EQ(kind("ANEProgramProcessRequestDirect() Failed with status=0x1d : Program Inference error", 0),
            Refusal::Transient);
  EXPECT_EQ(kind("Program load failure (0x50004)", 0), Refusal::Resource);
  EXPECT_EQ(kind("Program load failure (0x20004)", 0), Refusal::Resource); // no 0x2
  EXPECT_EQ(kind("error 0x2: wrong symbol", 0), Refusal::Program);
  EXPECT_EQ(kind("", 13), Refusal::Resource);
  EXPECT_EQ(kind("The connection to service was interrupted", 4097), Refusal::Gone);
  absl::Status unknown = engine::statusOf("program p", "something new", 4711);
  EXPECT_EQ(refusalOf(unknown), Refusal::Transient);
  EXPECT_EQ(codeOf(unknown), "4711");
  EXPECT_EQ(waitOf(unknown), std::chrono::milliseconds(100));
}

TEST(AneDeviceOf, AnotherSystem) {
  EXPECT_EQ(engine::makeAneDevice({"/nonexistent.so"}).status().code(), absl::StatusCode::kUnimplemented);
#ifndef __APPLE__
  EXPECT_EQ(engine::makeAneDevice().status().code(), absl::StatusCode::kUnimplemented);
#endif
}

TEST_F(AneDevice, RunsABundleAsTheEmulatorDoes) {
  test::TestBundle files(ANE_TEST_HOST_LIBRARY);
  auto emulator = makeDevice({"emulator", "plain", files.content.target});
  ASSERT_TRUE(emulator.ok()) << emulator.status();
  const test::Ran wanted = test::run(files.dir(), *std::move(emulator)),
                  ran = test::run(files.dir(), std::move(device));
  EXPECT_EQ(ran.values, wanted.values);
  EXPECT_EQ(ran.values, test::wantedValues());
  EXPECT_TRUE(ran.events.empty());
}

TEST(AneDeviceOf, SaysWhichChipABundleIsFor) {
  unsetenv("TMPDIR"); // the folder of a test before
  test::TestBundle files(ANE_TEST_HOST_LIBRARY);
  std::string said;
  Context::process()->log().setSink(LogLevel::Warning, [&](LogLevel, const std::string &text) { said += text; });
  BundleOptions options;
  options.device = "ane:" ANE_SIMULATED_FRAMEWORK;
  for (const char *chip : {"h16", "h13"}) {
    EXPECT_EQ(said, "");
    files.content.target.chip = chip;
    files.write();
    EXPECT_TRUE(Bundle::open(files.dir(), options).ok());
  }
  Context::process()->log().setSink(LogLevel::Off, nullptr);
  EXPECT_EQ(said, files.dir() + ": the bundle is compiled for h13, and this machine has h16 (Apple M4, whose engine "
                                "calls itself h16g): compile it with --target=h16, or for both with "
                                "--target=h13,h16");
}

} // namespace
