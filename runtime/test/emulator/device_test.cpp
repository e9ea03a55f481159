//===- device_test.cpp - The emulator behind the device interface ---------===//

#include "runtime/support/half.h"
#include "runtime/test/emulator/device_fixture.h"
#include "runtime/test/matchers.h"

#include <gtest/gtest.h>

#include <cstring>

namespace ane::rt::emulator {
namespace {

const char *kText = R"(program(1.3)
[buildInfo = dict<string, string>({})]
{
  func main<ios18>(tensor<fp16, [1, 2, 1, 3]> b, tensor<fp32, [2]> a) {
    tensor<fp16, [1, 2, 1, 3]> z = add(x = b, y = b)[name = string("z")];
    tensor<int32, [2]> i = cast(x = a, dtype = "int32")[name = string("i")];
  } -> (z, i);
})";

ProgramDesc describe() {
  ProgramDesc desc;
  desc.name = "doubles";
  desc.milText = kText;
  desc.procedures[0].inputs = {makeSurfaceDesc("a", ElementType::Float32, {2}),
                               makeSurfaceDesc("b", ElementType::Float16, {1, 2, 1, 3})};
  desc.procedures[0].outputs = {makeSurfaceDesc("i", ElementType::Int32, {2}),
                                makeSurfaceDesc("z", ElementType::Float16, {1, 2, 1, 3})};
  return desc;
}

std::unique_ptr<Device> plainDevice() {
  EmulatorOptions options;
  options.mode = Mode::Plain;
  return makeEmulatorDevice(options);
}

TEST(SurfaceDesc, RowsTakeMultiplesOf64Bytes) {
  SurfaceDesc desc = describe().procedures[0].inputs[1];
  EXPECT_EQ(desc.rowStride, 64);
  EXPECT_EQ(desc.bytes, 128);
  EXPECT_EQ(makeSurfaceDesc("s", ElementType::Float32, {1, 4, 1, 33}).rowStride, 192);
  EXPECT_EQ(makeSurfaceDesc("s", ElementType::Float16, {}).bytes, 64);
}

std::string refusal(const ProgramDesc &desc) {
  auto program = plainDevice()->load(desc);
  EXPECT_FALSE(program.ok());
  return std::string(program.status().message());
}

TEST(EmulatorDevice, EvaluatesTheProcedureThatIsMeant) {
  ProgramDesc desc;
  desc.name = "bank_0";
  desc.milText = R"(program(1.3)
[buildInfo = dict<string, string>({})]
{
  func first<ios18>(tensor<fp32, [2]> a) {
    tensor<fp32, [2]> b = add(x = a, y = a)[name = string("b")];
  } -> (b);
  func second<ios18>(tensor<fp32, [2]> c) {
    tensor<fp32, [2]> d = mul(x = c, y = c)[name = string("d")];
  } -> (d);
})";
  auto port = [](const char *name) { return std::vector{makeSurfaceDesc(name, ElementType::Float32, {2})}; };
  // In another order than in the text.
  desc.procedures = {{"second", port("c"), port("d")}, {"first", port("a"), port("b")}};
  auto device = plainDevice();
  auto program = device->load(desc);
  ASSERT_TRUE(program.ok()) << program.status();
  auto in = *device->allocate(desc.procedures[0].inputs[0]), out = *device->allocate(desc.procedures[0].outputs[0]);
  float value = 3;
  std::memcpy(in->map(Access::Write)->data(), &value, 4);
  for (auto [procedure, wanted] : {std::pair(0, 9.0f), std::pair(1, 6.0f)}) {
    absl::Status status = (*program)->evaluate(static_cast<size_t>(procedure), {in.get()}, {out.get()});
    ASSERT_TRUE(status.ok()) << status;
    std::memcpy(&value, out->map(Access::Read)->data(), 4);
    EXPECT_EQ(value, wanted);
  }
  absl::Status none = (*program)->evaluate(2, {in.get()}, {out.get()});
  EXPECT_PRED_FORMAT2(hasText, std::string(none.message()), "'bank_0' has no procedure 2");
  absl::Status unbound = (*program)->evaluate(1, {in.get()}, {});
  EXPECT_PRED_FORMAT2(hasText, std::string(unbound.message()), "'bank_0.first' takes 1 output surfaces");
  desc.procedures[1].function = "third";
  EXPECT_PRED_FORMAT2(hasText, refusal(desc), "no function 'third'");
  desc.procedures[1] = {"first", port("a"), port("z")};
  EXPECT_PRED_FORMAT2(hasText, refusal(desc), "'bank_0.first': output 'b' has no surface");
}

TEST(EmulatorDevice, IsLoadedAgainWithoutACompilation) {
  ProgramDesc desc;
  desc.name = "twice";
  desc.milText = "program(1.3)\n{\nfunc main<ios18>(tensor<fp32, [2]> a) {\n"
                 "tensor<fp32, [2]> b = add(x = a, y = a)[name = string(\"b\")];\n} -> (b);\n}\n";
  auto port = [](const char *name) { return std::vector{makeSurfaceDesc(name, ElementType::Float32, {2})}; };
  desc.procedures = {{"main", port("a"), port("b")}};
  auto device = plainDevice();
  auto program = device->create(desc);
  ASSERT_TRUE(program.ok() && !(*program)->isCompiled()) << program.status();
  ASSERT_TRUE((*program)->compile().ok() && (*program)->isCompiled());
  auto in = *device->allocate(desc.procedures[0].inputs[0]), out = *device->allocate(desc.procedures[0].outputs[0]);
  EXPECT_PRED_FORMAT2(hasText, std::string((*program)->request(0, {in.get()}, {out.get()}).status().message()),
                      "'twice' is not loaded");
  ASSERT_TRUE((*program)->load().ok() && (*program)->load().ok());
  auto request = (*program)->request(0, {in.get()}, {out.get()});
  ASSERT_TRUE(request.ok()) << request.status();
  float value = 3;
  std::memcpy(in->map(Access::Write)->data(), &value, 4);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE((*program)->submit(**request).ok());
    std::memcpy(&value, out->map(Access::Read)->data(), 4);
    EXPECT_EQ(value, 6);
    (*program)->unload();
    EXPECT_PRED_FORMAT2(hasText, std::string((*program)->submit(**request).status().message()), "is not loaded");
    ASSERT_TRUE((*program)->load().ok());
  }
}

TEST(EmulatorDevice, BindsByNameAndStride) {
  auto device = plainDevice();
  EXPECT_EQ(device->name(), "emulator");
  ProgramDesc desc = describe();
  auto program = device->load(desc);
  ASSERT_TRUE(program.ok()) << program.status().message();
  std::vector<std::unique_ptr<Surface>> surfaces;
  for (const auto &list : {desc.procedures[0].inputs, desc.procedures[0].outputs})
    for (const SurfaceDesc &surface : list)
      surfaces.push_back(*device->allocate(surface));
  float a[2] = {3.75f, -2.5f};
  std::memcpy(surfaces[0]->map(Access::Write)->data(), a, sizeof a);
  for (int channel = 0; channel < 2; ++channel)
    for (int w = 0; w < 3; ++w) {
      uint16_t half = floatToHalf(static_cast<float>(channel * 3 + w) + 0.25f);
      std::memcpy(surfaces[1]->map(Access::Write)->data() + channel * 64 + w * 2, &half, 2);
    }
  // Padding must not reach the results, and stays as it is in the output.
  std::memset(surfaces[1]->map(Access::Write)->data() + 6, 0x7C, 58);
  std::memset(surfaces[3]->map(Access::Write)->data(), 0x5A, 128);
  absl::Status status =
      (*program)->evaluate(0, {surfaces[0].get(), surfaces[1].get()}, {surfaces[2].get(), surfaces[3].get()});
  ASSERT_TRUE(status.ok()) << status.message();
  int32_t i[2];
  std::memcpy(i, surfaces[2]->map(Access::Read)->data(), sizeof i);
  EXPECT_EQ(i[0], 3);
  EXPECT_EQ(i[1], -2);
  for (int channel = 0; channel < 2; ++channel)
    for (int w = 0; w < 3; ++w) {
      uint16_t half;
      std::memcpy(&half, surfaces[3]->map(Access::Read)->data() + channel * 64 + w * 2, 2);
      EXPECT_EQ(halfToFloat(half), static_cast<float>(channel * 3 + w) * 2 + 0.5f);
    }
  EXPECT_EQ(surfaces[3]->map(Access::Read)->data()[6], 0x5A);
}

TEST(EmulatorDevice, RefusesSurfacesThatDoNotFit) {
  ProgramDesc desc = describe();
  desc.procedures[0].inputs[1].shape = {1, 3, 1, 2};
  EXPECT_PRED_FORMAT2(hasText, refusal(desc),
                      "program 'doubles': input 'b' is tensor<fp16, [1, 2, 1, "
                      "3]> in the program, but its surface is tensor<fp16, "
                      "[1, 3, 1, 2]>");
  desc = describe();
  desc.procedures[0].inputs[1].rowStride = 4;
  EXPECT_PRED_FORMAT2(hasText, refusal(desc), "a row stride of 4 bytes");
  desc = describe();
  desc.procedures[0].outputs[1].bytes = 69;
  EXPECT_PRED_FORMAT2(hasText, refusal(desc), "its surface has 69 bytes");
  desc.procedures[0].outputs[1].bytes = 70;
  EXPECT_TRUE(plainDevice()->load(desc).ok());
  desc = describe();
  desc.procedures[0].inputs.pop_back();
  EXPECT_PRED_FORMAT2(hasText, refusal(desc), "input 'b' has no surface");
  desc = describe();
  desc.procedures[0].outputs.push_back(makeSurfaceDesc("q", ElementType::Float16, {1}));
  EXPECT_PRED_FORMAT2(hasText, refusal(desc), "output 'q' is not in the program");
  desc = describe();
  desc.milText = "program(1.3)";
  EXPECT_PRED_FORMAT2(hasText, refusal(desc), "doubles:1:");
  desc.source = "programs/doubles.mil";
  EXPECT_PRED_FORMAT2(hasText, refusal(desc), "programs/doubles.mil:1:");
}

TEST(EmulatorDevice, RefusesSmallSurfacesAtEvaluation) {
  ProgramDesc desc = describe();
  auto program = plainDevice()->load(desc);
  ASSERT_TRUE(program.ok());
  auto small = *makeHostSurface(1), large = *makeHostSurface(256);
  absl::Status status = (*program)->evaluate(0, {large.get(), small.get()}, {large.get(), large.get()});
  EXPECT_PRED_FORMAT2(hasText, std::string(status.message()), "input 'b' needs a surface of 128 bytes, not 1");
  EXPECT_FALSE((*program)->evaluate(0, {large.get()}, {}).ok());
}

/// What the records know holds where the engine is taken at its word.
TEST(Device, BudgetsAreThoseOfTheRecords) {
  ProgramBudgets faithful = deviceOf(Mode::Faithful, {"m4", "in_memory", "15", ""})->budgets();
  EXPECT_EQ(faithful.compilations, 119);
  EXPECT_EQ(faithful.loaded, 127);
  EXPECT_EQ(faithful.bytes, int64_t(7) << 29);
  EXPECT_EQ(deviceOf(Mode::Faithful, {"m4", "e5rt", "15", ""})->budgets().loaded, 128);
  for (Mode mode : {Mode::Lint, Mode::Plain})
    EXPECT_EQ(deviceOf(mode)->budgets().compilations, 0);
}

} // namespace
} // namespace ane::rt::emulator
