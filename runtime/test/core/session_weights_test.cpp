#include "runtime/core/executor.h"
#include "runtime/test/core/test_bundle.h"
#include <cstring>
#include <functional>
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
  absl::StatusOr<Completion> submit(const Request &) override { return Completion(); }
  absl::StatusOr<std::unique_ptr<DeviceProgram>> updateWeightsNow(WeightWay way, std::shared_ptr<const Folder> files,
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
  absl::StatusOr<Completion> submit(const Request &request) override {
    const uint8_t *factor = files->map("weights/probe.bin")->data() + 128;
    auto mapped = *request.outputs[0]->map(Access::Write);
    for (int i = 0; i < 32 * 32; ++i)
      std::memcpy(mapped.data() + 2 * i, factor, 2);
    return Completion();
  }
  absl::StatusOr<std::unique_ptr<DeviceProgram>> updateWeightsNow(WeightWay, std::shared_ptr<const Folder> other,
                                                                  absl::Span<const WeightRange>) override {
    return std::make_unique<ProbedProgram>(std::move(other));
  }

private:
  std::shared_ptr<const Folder> files;
};

/// What a device does when it is to compile the probe.
using OnProbe = std::function<absl::Status()>;

class LookingDevice final : public Device {
public:
  LookingDevice(Loads &loads, Updates *updates, const OnProbe &onProbe)
      : loads(loads), updates(updates), onProbe(onProbe) {}
  std::string_view name() const override { return "fake"; }
  absl::StatusOr<std::unique_ptr<DeviceProgram>> create(const ProgramDesc &program) override {
    if (program.name == "probe of weights" && onProbe)
      if (absl::Status s = onProbe(); !s.ok())
        return s;
    if (program.name == "probe of weights")
      return updates ? std::unique_ptr<DeviceProgram>(std::make_unique<ProbedProgram>(program.folder))
                     : std::make_unique<IdleProgram>(nullptr);
    loads.push_back(firstOf(*program.folder));
    return std::make_unique<IdleProgram>(updates);
  }

private:
  Loads &loads;
  Updates *updates;
  const OnProbe &onProbe;
};

/// Compiles any program, and refuses each evaluation.
class RefusingDevice final : public Device {
public:
  std::string_view name() const override { return "refusing"; }
  absl::StatusOr<std::unique_ptr<DeviceProgram>> create(const ProgramDesc &) override {
    class Refused final : public DeviceProgram {
      absl::StatusOr<Completion> submit(const Request &) override { return absl::UnimplementedError("not this one"); }
    };
    return std::make_unique<Refused>();
  }
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
    options.device = "cpu";
    options.threads = 1;
    options.numeric = NumericPolicy::Off;
    if (fake)
      options.makeDevice = [&] {
        return std::unique_ptr<Device>(new LookingDevice(loads, isUpdatable ? &updates : nullptr, onProbe));
      };
    auto bundle = Bundle::open(files.dir(), options);
    EXPECT_TRUE(bundle.ok()) << bundle.status();
    return make(*bundle);
  }

  static std::unique_ptr<Executor> make(const std::shared_ptr<Bundle> &bundle) {
    auto executor = Executor::create(bundle, "");
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

  /// A context of its own, with budgets.
  ProgramCache &useBudgets(const ProgramBudgets &budgets) {
    options.context = std::make_shared<Context>();
    options.context->cache().setBudgets(budgets);
    return options.context->cache();
  }

  TestBundle files{ANE_TEST_HOST_LIBRARY};
  BundleOptions options;
  Loads loads;
  Updates updates;
  bool isUpdatable = false;
  OnProbe onProbe;
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

TEST_F(SessionWeightsTest, ThatStayAreWrittenForCodeThatRuns) {
  // The manifest has it that only the twin reads the table; embed does, and shows what stands there.
  manifest::StoredWeight &table = files.content.weights[1].stored[0];
  table.programs.clear();
  table.hostFunctions = {"affine_twin"};
  files.content.programs[0].weights.clear();
  files.write();
  options.device = "cpu";
  options.threads = 1;
  options.makeDevice = [] { return std::make_unique<RefusingDevice>(); };
  auto bundle = Bundle::open(files.dir(), options);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  auto executor = make(*bundle);
  const Values five(kElements, 5), six(kElements, 6);
  auto bind = [&](const Values &values) {
    return executor->setWeight("table", values.data(), kElements * sizeof(float), /*stays=*/true);
  };
  ASSERT_TRUE(bind(five).ok());
  auto fork = executor->fork();
  ASSERT_TRUE(fork.ok()) << fork.status();
  EXPECT_EQ(run(**fork), 3 * 5 + 1);
  // embed ran before the program was refused, and its twin became a reader.
  EXPECT_NE(run(*executor), 3 * 5 + 1);
  EXPECT_EQ(run(*executor), 3 * 5 + 1);
  ASSERT_TRUE(bind(six).ok());
  EXPECT_EQ(run(*executor), 3 * 6 + 1);
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
  EXPECT_EQ(updates, (Updates{{WeightWay::Donor, 6, 1}}));
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
  // The whole table when it was set first, whatever came before the run, and for the fork; from one value to another
  // all but what is 0 in the first element and in the last.
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
            2 * kElements * static_cast<int64_t>(sizeof(float)) + between(6, 7));
}

TEST_F(SessionWeightsTest, APatchNeedsNoSecondPlace) {
  isUpdatable = true;
  ProgramCache &cache = useBudgets({0, 1, 0});
  onProbe = [&] {
    EXPECT_EQ(cache.counters().loaded, 1); // the bundle's program has made room
    return absl::OkStatus();
  };
  auto executor = make(true);
  for (float value : {5.0f, 6.0f, 7.0f}) {
    ASSERT_TRUE(set(*executor, value).ok());
    run(*executor);
  }
  // There is no room for a donor, which the bundle's program would have been.
  EXPECT_EQ(loads, (Loads{0, 5}));
  EXPECT_EQ(updates, (Updates{{WeightWay::Patch, 6, 1}, {WeightWay::Patch, 7, 1}}));
  EXPECT_EQ(cache.counters().loaded, 1);
  EXPECT_TRUE(executor->events().empty());
  // With more room a donor is tried, too.
  const int64_t before = cache.counters().compilations;
  onProbe = nullptr;
  for (int64_t room : {1, 2, 3}) {
    cache.setBudgets({0, room, 0});
    EXPECT_EQ(executor->owner()->weightsBy(), "patch");
    EXPECT_EQ(cache.counters().compilations, room == 1 ? before : before + 1);
  }
}

TEST_F(SessionWeightsTest, ACompilationInsteadIsAnEvent) {
  isUpdatable = true;
  useBudgets({0, 1, 0});
  auto executor = make(true);
  ASSERT_TRUE(set(*executor, 5).ok());
  run(*executor);
  EXPECT_TRUE(executor->events().empty());
  auto other = make(executor->owner()); // whose program, compiled before, makes the first one's go
  ASSERT_TRUE(set(*executor, 6).ok());
  run(*executor);
  EXPECT_TRUE(updates.empty());
  EXPECT_EQ(loads, (Loads{0, 5, 6}));
  ASSERT_EQ(executor->events().size(), 1u);
  EXPECT_EQ(executor->events()[0].phase, "weights");
  EXPECT_EQ(executor->events()[0].reason,
            "program affine: was unloaded, with the old weights; its weights are set by recompile");
}

TEST_F(SessionWeightsTest, TheProbeKeepsToBudgets) {
  isUpdatable = true;
  ProgramCache &cache = useBudgets({0, 2, 0});
  int probes = 0;
  onProbe = [&] {
    ++probes;
    EXPECT_EQ(cache.counters().loaded, 2); // itself and its donor
    return absl::OkStatus();
  };
  auto executor = make(true);
  ASSERT_TRUE(set(*executor, 5).ok());
  run(*executor);
  EXPECT_EQ(probes, 1);
  EXPECT_EQ(cache.counters().loaded, 1);
  EXPECT_EQ(cache.counters().evictions, 1);
  // No budget for it.
  ProgramCache &none = useBudgets({1, 0, 0});
  onProbe = nullptr;
  auto second = make(true);
  EXPECT_EQ(second->owner()->weightsBy(),
            "recompile, since by patch program probe of weights: 1 programs were compiled in this process, the budget "
            "is 1, and by donor program probe of weights: 1 programs were compiled in this process, the budget is 1");
  none.setBudgets({0, 0, 0});
  EXPECT_EQ(second->owner()->weightsBy(), "patch");
  EXPECT_EQ(none.counters().loaded, 1);
}

TEST_F(SessionWeightsTest, AProbeThatIsRefusedIsTriedOnceMore) {
  isUpdatable = true;
  for (int refused : {1, 2}) {
    SCOPED_TRACE(refused);
    useBudgets({});
    updates.clear();
    int probes = 0;
    onProbe = [&] { return ++probes > refused ? absl::OkStatus() : absl::ResourceExhaustedError("no memory"); };
    auto executor = make(true);
    for (float value : {5.0f, 6.0f, 7.0f}) {
      ASSERT_TRUE(set(*executor, value).ok());
      run(*executor);
    }
    EXPECT_EQ(probes, 2);
    EXPECT_EQ(updates.size(), refused == 1 ? 2u : 0u);
    ASSERT_EQ(executor->events().size(), 1u);
    EXPECT_NE(executor->events()[0].reason.find("set by recompile, since by patch the probe does not run: no memory"),
              std::string::npos);
  }
}

TEST_F(SessionWeightsTest, NobodyIsProbedForCompilations) {
  isUpdatable = true;
  options.weightsBy = WeightWay::Recompile;
  ProgramCache &cache = useBudgets({4, 0, 0});
  int probes = 0;
  onProbe = [&] {
    ++probes;
    return absl::OkStatus();
  };
  auto executor = make(true);
  for (float value : {5.0f, 6.0f}) {
    ASSERT_TRUE(set(*executor, value).ok());
    run(*executor);
  }
  EXPECT_EQ(loads, (Loads{0, 5, 6}));
  EXPECT_EQ(probes, 0);
  // The last one is for what comes then.
  ASSERT_TRUE(set(*executor, 7).ok());
  run(*executor);
  EXPECT_EQ(probes, 1);
  EXPECT_EQ(updates, (Updates{{WeightWay::Patch, 7, 1}}));
  EXPECT_EQ(cache.counters().compilations, 4);
  ASSERT_EQ(executor->events().size(), 1u);
  EXPECT_EQ(executor->events()[0].reason, "program affine: 4 programs were compiled in this process, the budget is 4; "
                                          "its weights are set by patch");
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
