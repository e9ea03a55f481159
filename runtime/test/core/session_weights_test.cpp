#include "runtime/core/executor.h"
#include "runtime/test/core/test_bundle.h"
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <tuple>

using namespace ane::rt;
using namespace ane::rt::test;

namespace {

constexpr int kElements = kVocabulary * kColumns;
/// Of the table in its file, behind the file's header and the record's.
constexpr int64_t kTableOffset = 128;
using Values = std::vector<float>;

/// The first element of the table in each program that was loaded.
using Loads = std::vector<float>;

/// Updates that devices were asked for: the way, the first element of the table, and the number of ranges.
using Updates = std::vector<std::tuple<WeightWay, float, size_t>>;

float firstOf(const Folder &files) {
  auto file = files.map("weights/table.bin");
  float first = -1;
  EXPECT_TRUE(file.ok());
  if (file.ok())
    std::memcpy(&first, file->data() + kTableOffset, sizeof first);
  return first;
}

class IdleProgram final : public DeviceProgram {
public:
  explicit IdleProgram(Updates *updates) : updates(updates) {}
  absl::Status evaluate(size_t, absl::Span<Surface *const>, absl::Span<Surface *const>) override {
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<DeviceProgram>> updateWeights(WeightWay way, std::shared_ptr<const Folder> files,
                                                               absl::Span<const WeightRange> changed) override {
    if (!updates)
      return absl::UnimplementedError("");
    EXPECT_EQ(changed[0].path, "weights/table.bin");
    for (const WeightRange &range : changed) {
      EXPECT_GE(range.offset, kTableOffset);
      EXPECT_LE(range.offset + range.bytes, kTableOffset + kElements * static_cast<int64_t>(sizeof(float)));
    }
    updates->push_back({way, firstOf(*files), changed.size()});
    return std::make_unique<IdleProgram>(updates);
  }

private:
  Updates *updates; ///< null: it is loaded anew
};

/// The program that a device is probed with (weight_ways.h): its output is 32x32 times the factor that its file begins
/// with.
class ProbedProgram final : public DeviceProgram {
public:
  explicit ProbedProgram(std::shared_ptr<const Folder> files) : files(std::move(files)) {}
  absl::Status evaluate(size_t, absl::Span<Surface *const>, absl::Span<Surface *const> outputs) override {
    const uint8_t *factor = files->map("weights/probe.bin")->data() + 128;
    for (int i = 0; i < 32 * 32; ++i)
      std::memcpy(outputs[0]->map() + 2 * i, factor, 2);
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<DeviceProgram>> updateWeights(WeightWay, std::shared_ptr<const Folder> other,
                                                               absl::Span<const WeightRange>) override {
    return std::make_unique<ProbedProgram>(std::move(other));
  }

private:
  std::shared_ptr<const Folder> files;
};

class LookingDevice final : public Device {
public:
  LookingDevice(Loads &loads, Updates *updates) : loads(loads), updates(updates) {}
  std::string_view name() const override { return "fake"; }
  absl::StatusOr<std::unique_ptr<DeviceProgram>> load(const ProgramDesc &program) override {
    if (program.name == "probe of weights")
      return updates ? std::unique_ptr<DeviceProgram>(std::make_unique<ProbedProgram>(program.folder))
                     : std::make_unique<IdleProgram>(nullptr);
    loads.push_back(firstOf(*program.folder));
    return std::make_unique<IdleProgram>(updates);
  }

private:
  Loads &loads;
  Updates *updates;
};

/// The bundle's table is weight "table", which embed and the program read; weight "scaled" is fixed.
class SessionWeightsTest : public testing::Test {
protected:
  SessionWeightsTest() {
    manifest::StoredWeight table;
    table.file = "weights/table.bin";
    table.offset = kTableOffset;
    table.bytes = kElements * sizeof(float);
    table.hash = std::string(32, '0');
    table.programs = {"affine"};
    table.hostFunctions = {"embed"};
    table.shape = {kElements};
    table.strides = {1};
    manifest::StoredWeight scaled = table;
    scaled.bytes = 0;
    scaled.fixed = "computed by mul";
    manifest::TensorType type{ElementType::Float32, {kVocabulary, kColumns}};
    files.content.weights = {{"scaled", type, "dense", {scaled}}, {"table", type, "dense", {table}}};
    files.content.programs[0].weights = {"weights/table.bin"};
    files.write();
  }

  std::unique_ptr<Executor> make(bool fake) {
    BundleOptions options;
    options.device = "cpu";
    options.threads = 1;
    options.numeric = NumericPolicy::Off;
    if (fake)
      options.makeDevice = [&] {
        return std::unique_ptr<Device>(new LookingDevice(loads, isUpdatable ? &updates : nullptr));
      };
    auto bundle = Bundle::open(files.dir(), options);
    EXPECT_TRUE(bundle.ok()) << bundle.status();
    auto executor = Executor::create(*bundle, "");
    EXPECT_TRUE(executor.ok()) << executor.status();
    return std::move(*executor);
  }

  static absl::Status set(Executor &executor, float value, const std::string &name = "table") {
    Values values(kElements, value);
    return executor.setWeight(name, values.data(), kElements * sizeof(float));
  }

  /// The first element of the output for a table of equal elements, which is all of it.
  static float run(Executor &executor) {
    int64_t ids[kIds] = {};
    EXPECT_TRUE(executor.setInput(0, ids, sizeof ids).ok());
    absl::Status status = executor.run();
    EXPECT_TRUE(status.ok()) << status;
    return *static_cast<const float *>(executor.outputs()[0].data);
  }

  TestBundle files{ANE_TEST_HOST_LIBRARY};
  Loads loads;
  Updates updates;
  bool isUpdatable = false;
};

TEST_F(SessionWeightsTest, AreForOneSession) {
  auto first = make(false), second = make(false);
  float own = run(*first);
  ASSERT_TRUE(set(*first, 5).ok());
  EXPECT_EQ(run(*first), 3 * 5 + 1);
  EXPECT_EQ(run(*second), own);
  ASSERT_TRUE(set(*second, 7).ok());
  EXPECT_EQ(run(*second), 3 * 7 + 1);
  EXPECT_EQ(run(*first), 3 * 5 + 1);
}

TEST_F(SessionWeightsTest, GoWithForksAndStayWhenStatesAreReset) {
  auto executor = make(false);
  ASSERT_TRUE(set(*executor, 5).ok());
  ASSERT_TRUE(executor->resetStates().ok());
  auto fork = executor->fork();
  ASSERT_TRUE(fork.ok()) << fork.status();
  ASSERT_TRUE(set(*executor, 6).ok());
  EXPECT_EQ(run(*executor), 3 * 6 + 1);
  EXPECT_EQ(run(**fork), 3 * 5 + 1);
}

TEST_F(SessionWeightsTest, ReloadProgramsWhenTheyRun) {
  auto executor = make(true);
  ASSERT_EQ(loads.size(), 1u);
  for (float value : {5.0f, 6.0f})
    ASSERT_TRUE(set(*executor, value).ok());
  EXPECT_EQ(loads.size(), 1u);
  run(*executor);
  run(*executor);
  EXPECT_EQ(loads, (Loads{0, 6}));
  auto fork = executor->fork();
  ASSERT_TRUE(fork.ok()) << fork.status();
  run(**fork);
  EXPECT_EQ(loads.back(), 6);
}

TEST_F(SessionWeightsTest, LoadedProgramsGetThemWhereTheDeviceCan) {
  isUpdatable = true;
  auto executor = make(true);
  run(*executor);
  ASSERT_EQ(loads.size(), 1u);
  ProgramCounters before = executor->owner()->context().cache().counters();
  // What was set since the program was loaded goes at once.
  for (float value : {5.0f, 6.0f})
    ASSERT_TRUE(set(*executor, value).ok());
  EXPECT_TRUE(updates.empty());
  run(*executor);
  run(*executor);
  // The bundle's program may have other users; that of the session has none.
  EXPECT_EQ(updates, (Updates{{WeightWay::Donor, 6, 2}}));
  ASSERT_TRUE(set(*executor, 7).ok());
  run(*executor);
  EXPECT_EQ(updates.back(), (Updates::value_type{WeightWay::Patch, 7, 1}));
  auto fork = executor->fork();
  ASSERT_TRUE(fork.ok()) << fork.status();
  run(**fork);
  EXPECT_EQ(updates.back(), (Updates::value_type{WeightWay::Donor, 7, 1}));
  // What is there already changes no program.
  ASSERT_TRUE(set(*executor, 7).ok());
  run(*executor);
  EXPECT_EQ(updates.size(), 3u);
  EXPECT_EQ(loads.size(), 1u);
  ProgramCounters after = executor->owner()->context().cache().counters();
  EXPECT_EQ(after.updates - before.updates, 3);
  EXPECT_EQ(after.compilations, before.compilations + 1); // the probe
  // The whole table when it was set first, and for the fork; from one value to another all but what is 0 in the first
  // element and in the last.
  auto between = [](float a, float b) {
    uint8_t bytes[2][sizeof(float)];
    std::memcpy(bytes[0], &a, sizeof a);
    std::memcpy(bytes[1], &b, sizeof b);
    int64_t same = 0;
    while (bytes[0][same] == bytes[1][same])
      ++same;
    int64_t last = sizeof(float);
    while (bytes[0][last - 1] == bytes[1][last - 1])
      --last;
    return kElements * static_cast<int64_t>(sizeof(float)) - same - (static_cast<int64_t>(sizeof(float)) - last);
  };
  EXPECT_EQ(after.weightBytes - before.weightBytes,
            2 * kElements * static_cast<int64_t>(sizeof(float)) + between(5, 6) + between(6, 7));
}

TEST_F(SessionWeightsTest, AreRefusedWithTheReason) {
  auto executor = make(true);
  float own = run(*executor);
  auto expect = [&](const absl::Status &status, absl::StatusCode code, const std::string &words) {
    EXPECT_EQ(status.code(), code);
    EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << status;
  };
  expect(set(*executor, 1, "other"), absl::StatusCode::kNotFound, "no weight \"other\"; it has 2");
  expect(set(*executor, 1, "scaled"), absl::StatusCode::kUnimplemented, "is fixed: computed by mul; remedy");
  expect(executor->setWeight("table", &own, 4), absl::StatusCode::kInvalidArgument,
         "weight table: has 4 bytes, expected float32[10,64] of 2560 bytes");
  EXPECT_EQ(run(*executor), own);
  EXPECT_EQ(loads.size(), 1u);
}

TEST_F(SessionWeightsTest, AreFiniteWhereTheyAreHalves) {
  manifest::StoredWeight &table = files.content.weights[1].stored[0];
  table.dtype = ElementType::Float16;
  table.bytes /= 2;
  files.write();
  auto executor = make(true);
  EXPECT_TRUE(set(*executor, 65519).ok());
  for (float value : {65520.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    absl::Status status = set(*executor, value);
    EXPECT_TRUE(absl::IsUnimplemented(status));
    EXPECT_NE(std::string(status.message()).find("not finite in float16"), std::string::npos) << status;
  }
}

} // namespace
