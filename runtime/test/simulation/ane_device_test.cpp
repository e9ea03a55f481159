//===- ane_device_test.cpp - Device ane on the simulated framework --------===//
#include "absl/strings/str_cat.h"
#include "runtime/core/devices.h"
#include "runtime/core/executor.h"
#include "runtime/device/ane/ane_device.h"
#include "runtime/device/ane/errors.h"
#include "runtime/device/emulator/lint/target.h"
#include "runtime/support/half.h"
#include "runtime/test/core/test_bundle.h"
#include "runtime/test/simulation/finding.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>

using namespace ane::rt;

/// What GNUstep keeps for itself; the objects of the framework count themselves.
extern "C" const char *__lsan_default_suppressions() { return "leak:libobjc.so\nleak:libgnustep-base.so\n"; }

namespace {

/// A function of the simulation.
template <typename Result>
Result ask(const char *name) {
  void *library = dlopen(ANE_SIMULATED_FRAMEWORK, RTLD_NOW | RTLD_NOLOAD);
  auto *function = reinterpret_cast<Result (*)()>(dlsym(library, name));
  Result result = function();
  dlclose(library);
  return result;
}

/// Temporary files of the framework are the test's, and nothing is left of the client's objects, locks and misuse.
class AneDevice : public testing::Test {
protected:
  AneDevice() {
    char name[] = "/tmp/ane_device_XXXXXX";
    root = mkdtemp(name);
    setenv("TMPDIR", root.c_str(), 1);
    auto made = engine::makeAneDevice({ANE_SIMULATED_FRAMEWORK});
    EXPECT_TRUE(made.ok()) << made.status();
    device = made.ok() ? *std::move(made) : nullptr;
  }
  ~AneDevice() override {
    device.reset();
    EXPECT_EQ(ask<int>("simulated_findings"), 0) << ask<const char *>("simulated_finding_texts");
    EXPECT_EQ(ask<int>("simulated_live_objects"), 0);
    EXPECT_EQ(ask<int>("simulated_held_locks"), 0);
    std::filesystem::remove_all(root);
  }

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

  std::string root;
  std::unique_ptr<Device> device;
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
}

TEST(AneErrors, MeanWhatWasReported) {
  auto kind = [](const char *text, int64_t code) { return refusalOf(engine::statusOf("program p", text, code)); };
  EXPECT_EQ(kind("ANEProgramProcessRequestDirect() Failed with status=0x1d : Program Inference error", 0),
            Refusal::Transient);
  EXPECT_EQ(kind("Program load failure (0x50004)", 0), Refusal::Resource);
  EXPECT_EQ(kind("Program load failure (0x20004)", 0), Refusal::Resource); // no 0x2
  EXPECT_EQ(kind("error 0x2: wrong symbol", 0), Refusal::Program);
  EXPECT_EQ(kind("", 13), Refusal::Resource);
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

/// A bundle's values, from a device. `events` gets what the run says.
std::vector<float> valuesOf(const std::string &dir, std::unique_ptr<Device> device, std::vector<Event> &events) {
  BundleOptions options;
  options.context = std::make_shared<Context>();
  options.makeDevice = [&] { return std::move(device); };
  auto bundle = Bundle::open(dir, options);
  EXPECT_TRUE(bundle.ok()) << bundle.status();
  auto executor = Executor::create(*bundle, "");
  EXPECT_TRUE(executor.ok()) << executor.status();
  const int64_t ids[test::kIds] = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_TRUE((*executor)->setInput(0, ids, sizeof ids).ok());
  for (int run = 0; run < 3; ++run)
    EXPECT_TRUE((*executor)->run().ok());
  events = (*executor)->events();
  const auto *data = static_cast<const float *>((*executor)->outputs()[0].data);
  return std::vector<float>(data, data + test::kIds * test::kColumns);
}

TEST_F(AneDevice, RunsABundleAsTheEmulatorDoes) {
  test::TestBundle files(ANE_TEST_HOST_LIBRARY);
  auto emulator = makeDevice({"emulator", "plain", files.content.target});
  ASSERT_TRUE(emulator.ok()) << emulator.status();
  std::vector<Event> events;
  const std::vector<float> wanted = valuesOf(files.dir(), *std::move(emulator), events);
  EXPECT_EQ(valuesOf(files.dir(), std::move(device), events), wanted);
  EXPECT_TRUE(events.empty());
}

// Each documented error at each call, once and for good: the values are right, and what is for good is told.
TEST_F(AneDevice, EachErrorAtEachCall) {
  void *library = dlopen(ANE_SIMULATED_FRAMEWORK, RTLD_NOW | RTLD_NOLOAD);
  auto *failCall = reinterpret_cast<void (*)(int, int, long, const char *)>(dlsym(library, "simulated_fail"));
  test::TestBundle files(ANE_TEST_HOST_LIBRARY);
  std::vector<Event> events;
  const std::vector<float> wanted = valuesOf(files.dir(), *engine::makeAneDevice({ANE_SIMULATED_FRAMEWORK}), events);
  const std::pair<const char *, long> errors[] = {{"ANECCompile() FAILED: err=()", 11},
                                                  {"InvalidMILProgram", 1},
                                                  {"status=0x1d : Program Inference error", 5},
                                                  {"Program load failure (0x50004)", 0x50004},
                                                  {"Program load failure (0x20004)", 0x20004},
                                                  {"mapIOSurfaces", 0x12},
                                                  {"0xe00002bd", 1},
                                                  {"something that nobody has seen", 4711}};
  for (auto [text, code] : errors)
    for (int times : {1, 1000})
      for (int call = 1;; ++call) {
        SCOPED_TRACE(absl::StrCat(text, " at call ", call, ", times ", times));
        auto made = engine::makeAneDevice({ANE_SIMULATED_FRAMEWORK});
        ASSERT_TRUE(made.ok());
        failCall(call, times, code, text);
        const std::vector<float> values = valuesOf(files.dir(), *std::move(made), events);
        const int failed = ask<int>("simulated_stop_failing");
        EXPECT_EQ(values, wanted);
        if (failed == 0)
          break;
        // What passes is a second try; unloading may fail at the end, when nobody hears it.
        if (times > 1 && failed > 1)
          EXPECT_FALSE(events.empty());
      }
  dlclose(library);
}

} // namespace
