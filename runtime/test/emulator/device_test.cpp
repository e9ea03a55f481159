//===- device_test.cpp - The emulator behind the device interface ---------===//

#include "runtime/device/emulator/emulator_device.h"
#include "runtime/support/half.h"
#include "runtime/test/emulator/matchers.h"

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
  desc.inputs = {makeSurfaceDesc("a", ElementType::Float32, {2}),
                 makeSurfaceDesc("b", ElementType::Float16, {1, 2, 1, 3})};
  desc.outputs = {makeSurfaceDesc("i", ElementType::Int32, {2}),
                  makeSurfaceDesc("z", ElementType::Float16, {1, 2, 1, 3})};
  return desc;
}

std::unique_ptr<Device> plainDevice() {
  EmulatorOptions options;
  options.mode = Mode::Plain;
  return makeEmulatorDevice(options);
}

TEST(SurfaceDesc, RowsTakeMultiplesOf64Bytes) {
  SurfaceDesc desc = describe().inputs[1];
  EXPECT_EQ(desc.rowStride, 64);
  EXPECT_EQ(desc.bytes, 128);
  EXPECT_EQ(makeSurfaceDesc("s", ElementType::Float32, {1, 4, 1, 33}).rowStride, 192);
  EXPECT_EQ(makeSurfaceDesc("s", ElementType::Float16, {}).bytes, 64);
}

TEST(EmulatorDevice, BindsByNameAndStride) {
  auto device = plainDevice();
  EXPECT_EQ(device->name(), "emulator");
  ProgramDesc desc = describe();
  auto program = device->load(desc);
  ASSERT_TRUE(program.ok()) << program.status().message();
  std::vector<std::unique_ptr<Surface>> surfaces;
  for (const auto &list : {desc.inputs, desc.outputs})
    for (const SurfaceDesc &surface : list)
      surfaces.push_back(*device->allocate(surface));
  float a[2] = {3.75f, -2.5f};
  std::memcpy(surfaces[0]->map(), a, sizeof a);
  for (int channel = 0; channel < 2; ++channel)
    for (int w = 0; w < 3; ++w) {
      uint16_t half = floatToHalf(static_cast<float>(channel * 3 + w) + 0.25f);
      std::memcpy(surfaces[1]->map() + channel * 64 + w * 2, &half, 2);
    }
  // Padding must not reach the results, and stays as it is in the output.
  std::memset(surfaces[1]->map() + 6, 0x7C, 58);
  std::memset(surfaces[3]->map(), 0x5A, 128);
  absl::Status status =
      (*program)->evaluate({surfaces[0].get(), surfaces[1].get()}, {surfaces[2].get(), surfaces[3].get()});
  ASSERT_TRUE(status.ok()) << status.message();
  int32_t i[2];
  std::memcpy(i, surfaces[2]->map(), sizeof i);
  EXPECT_EQ(i[0], 3);
  EXPECT_EQ(i[1], -2);
  for (int channel = 0; channel < 2; ++channel)
    for (int w = 0; w < 3; ++w) {
      uint16_t half;
      std::memcpy(&half, surfaces[3]->map() + channel * 64 + w * 2, 2);
      EXPECT_EQ(halfToFloat(half), static_cast<float>(channel * 3 + w) * 2 + 0.5f);
    }
  EXPECT_EQ(surfaces[3]->map()[6], 0x5A);
}

std::string refusal(const ProgramDesc &desc) {
  auto program = plainDevice()->load(desc);
  EXPECT_FALSE(program.ok());
  return std::string(program.status().message());
}

TEST(EmulatorDevice, RefusesSurfacesThatDoNotFit) {
  ProgramDesc desc = describe();
  desc.inputs[1].shape = {1, 3, 1, 2};
  EXPECT_PRED_FORMAT2(hasText, refusal(desc),
                      "program 'doubles': input 'b' is tensor<fp16, [1, 2, 1, "
                      "3]> in the program, but its surface is tensor<fp16, "
                      "[1, 3, 1, 2]>");
  desc = describe();
  desc.inputs[1].rowStride = 4;
  EXPECT_PRED_FORMAT2(hasText, refusal(desc), "a row stride of 4 bytes");
  desc = describe();
  desc.outputs[1].bytes = 69;
  EXPECT_PRED_FORMAT2(hasText, refusal(desc), "its surface has 69 bytes");
  desc.outputs[1].bytes = 70;
  EXPECT_TRUE(plainDevice()->load(desc).ok());
  desc = describe();
  desc.inputs.pop_back();
  EXPECT_PRED_FORMAT2(hasText, refusal(desc), "input 'b' has no surface");
  desc = describe();
  desc.outputs.push_back(makeSurfaceDesc("q", ElementType::Float16, {1}));
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
  absl::Status status = (*program)->evaluate({large.get(), small.get()}, {large.get(), large.get()});
  EXPECT_PRED_FORMAT2(hasText, std::string(status.message()), "input 'b' needs a surface of 128 bytes, not 1");
  EXPECT_FALSE((*program)->evaluate({large.get()}, {}).ok());
}

} // namespace
} // namespace ane::rt::emulator
