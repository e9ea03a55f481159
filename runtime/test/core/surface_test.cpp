#include "absl/strings/str_cat.h"
#include "runtime/core/devices.h"
#include "runtime/core/executor.h"
#include "runtime/test/core/guarded_device.h"
#include "runtime/test/core/test_bundle.h"
#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::test;

namespace {

/// The bundle, with a cache that takes in what it computes and is read by a second evaluation of its program.
class SurfaceTest : public testing::TestWithParam<NumericPolicy> {
protected:
  SurfaceTest() {
    manifest::Manifest &m = files.content;
    manifest::TensorType hidden = m.tensors[1].type;
    m.tensors.insert(m.tensors.end(),
                     {{"cache", hidden}, {"new cache", hidden}, {"at", {ElementType::Int64, {}}}, {"again", hidden}});
    m.states = {{"cache", hidden}};
    manifest::Function &f = m.functions[0];
    f.states = {{0, 4, 5}};
    f.inputs.push_back({"at", 6});
    f.steps.push_back({manifest::Step::Kind::Update, "cache", {3, 6}, {5}, "", 1});
    f.steps.push_back({manifest::Step::Kind::Program, "affine", {5}, {7}, "main"});
    f.outputs.push_back({"again", 7});
    files.write();
  }

  std::unique_ptr<Executor> make() {
    BundleOptions options;
    options.device = "emulator";
    options.numeric = GetParam();
    options.makeDevice = [&]() -> std::unique_ptr<Device> {
      auto device = makeDevice({"emulator", "lint", {"h16g", "in-memory", "macos-15", "ios18", "catalog"}});
      EXPECT_TRUE(device.ok()) << device.status();
      return std::make_unique<GuardedDevice>(*std::move(device), mappings);
    };
    auto bundle = Bundle::open(files.dir(), options);
    EXPECT_TRUE(bundle.ok()) << bundle.status();
    auto executor = Executor::create(*bundle, "");
    EXPECT_TRUE(executor.ok()) << executor.status();
    return *std::move(executor);
  }

  static absl::Status run(Executor &executor) {
    int64_t ids[kIds] = {1, 2, 3, 4, 5, 6, 7, 8}, at = 0;
    EXPECT_TRUE(executor.setInput(0, ids, sizeof ids).ok());
    EXPECT_TRUE(executor.setInput(1, &at, sizeof at).ok());
    return executor.run();
  }

  static void expectRight(const Executor &executor) {
    auto *result = static_cast<const float *>(executor.outputs()[0].data);
    auto *again = static_cast<const float *>(executor.outputs().back().data);
    for (int i = 0; i < kIds * kColumns; ++i) {
      float value = TestBundle::expected(i / kColumns + 1, i % kColumns);
      ASSERT_EQ(result[i], value);
      ASSERT_EQ(again[i], 2 * value + 1);
    }
  }

  TestBundle files{ANE_TEST_HOST_LIBRARY};
  Mappings mappings;
};

TEST_P(SurfaceTest, AreTouchedWhileTheyAreMapped) {
  auto executor = make();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(run(*executor).ok());
    expectRight(*executor);
    EXPECT_EQ(mappings.open, 0);
  }
  EXPECT_TRUE(executor->events().empty()) << executor->events()[0].reason;
  EXPECT_GT(mappings.made, 0);
}

TEST_P(SurfaceTest, NobodyTouchesWhatGoesFromProgramToProgram) {
  manifest::Manifest &m = files.content;
  const manifest::TensorType hidden = m.tensors[1].type;
  auto mapped = [&](int64_t programs) {
    m.states.clear();
    m.tensors.clear();
    for (int64_t i = 0; i <= programs; ++i)
      m.tensors.push_back({absl::StrCat("x", i), hidden});
    m.functions = {{"main", {{"x", 0}}, {{"y", programs}}, {}}};
    for (int64_t i = 0; i < programs; ++i)
      m.functions[0].steps.push_back({manifest::Step::Kind::Program, "affine", {i}, {i + 1}, "main"});
    files.write();
    auto executor = make();
    const std::vector<float> x(kIds * kColumns, 1);
    EXPECT_TRUE(executor->setInput(0, x.data(), static_cast<int64_t>(x.size() * sizeof(float))).ok());
    const int64_t before = mappings.made;
    EXPECT_TRUE(executor->run().ok());
    return mappings.made - before;
  };
  // The emulator itself maps two surfaces of each. Who clamps looks for what to clamp.
  const int64_t looks = GetParam() == NumericPolicy::Clamp ? 1 : 0;
  EXPECT_EQ(mapped(5) - mapped(2), 3 * (2 + looks));
}

// Values in a surface that can't be mapped are computed again.
TEST_P(SurfaceTest, AFailedMappingIsMendedByTheCPU) {
  int mended = 0;
  for (int64_t n = 0;; ++n) {
    auto executor = make();
    mappings.failAt = mappings.made + n;
    const absl::Status status = run(*executor);
    const bool wasReached = mappings.made > mappings.failAt;
    mappings.failAt = -1;
    EXPECT_EQ(mappings.open, 0);
    ASSERT_TRUE(status.ok()) << status << " mapping " << n;
    expectRight(*executor);
    for (const Event &event : executor->events())
      mended += event.reason.find("the surface can't be mapped") != std::string::npos;
    ASSERT_TRUE(run(*executor).ok()) << "mapping " << n;
    expectRight(*executor);
    if (!wasReached)
      break;
  }
  EXPECT_GT(mended, 0);
}

INSTANTIATE_TEST_SUITE_P(, SurfaceTest,
                         testing::Values(NumericPolicy::Rescue, NumericPolicy::Off, NumericPolicy::Clamp),
                         [](const auto &info) { return "policy" + std::to_string(static_cast<int>(info.param)); });

} // namespace
