#include "runtime/core/convert.h"
#include "runtime/core/executor.h"
#include "runtime/test/core/test_bundle.h"
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>

using namespace ane::rt;
using namespace ane::rt::test;

namespace {

/// Several sessions may count.
struct Count : std::atomic<int> {
  Count() : std::atomic<int>(0) {}
  Count &operator=(const Count &other) {
    store(other.load());
    return *this;
  }
};

/// What the fake device is to do, and what it has seen.
struct Script {
  absl::Status load, run;
  int failRunsFrom = 1 << 30, failRunsUntil = 1 << 30;
  int overflowInRun = -1; ///< counted from 1; gives infinities
  Count compilations, loads, runs;
};

/// y = 2 x + 1 on fp16 surfaces.
class FakeProgram final : public DeviceProgram {
public:
  FakeProgram(Script &script, ProgramDesc desc) : script(script), desc(std::move(desc)) {}
  absl::Status load() override {
    ++script.loads;
    return script.load;
  }
  absl::StatusOr<Completion> submit(const Request &request) override {
    int number = script.runs++;
    if (number >= script.failRunsFrom && number < script.failRunsUntil)
      return script.run;
    bool overflows = script.runs == script.overflowInRun;
    const SurfaceDesc &x = desc.procedures[0].inputs[0];
    int64_t width = x.shape.back();
    auto in = *request.inputs[0]->map(Access::Read), out = *request.outputs[0]->map(Access::Write);
    for (int64_t row = 0; row < surfaceRows(x.shape); ++row)
      for (int64_t i = 0; i < width; ++i) {
        int64_t at = row * x.rowStride + i * 2;
        float value;
        convertElements(in.data() + at, ElementType::Float16, &value, ElementType::Float32, 1);
        value = overflows ? INFINITY : 2 * value + 1;
        convertElements(&value, ElementType::Float32, out.data() + at, ElementType::Float16, 1);
      }
    return Completion();
  }

private:
  Script &script;
  ProgramDesc desc;
};

/// Loads no program before so many are being loaded.
class PatientDevice final : public Device {
public:
  PatientDevice(Script &script, int together) : script(script), together(together) {}
  std::string_view name() const override { return "patient"; }
  absl::StatusOr<std::unique_ptr<DeviceProgram>> create(const ProgramDesc &program) override {
    std::unique_lock<std::mutex> lock(mutex);
    ++begun;
    changed.notify_all();
    if (!changed.wait_for(lock, std::chrono::seconds(60), [&] { return begun >= together; }))
      return absl::InternalError("alone");
    return std::unique_ptr<DeviceProgram>(new FakeProgram(script, program));
  }

private:
  Script &script;
  const int together;
  int begun = 0;
  std::mutex mutex;
  std::condition_variable changed;
};

class FakeDevice final : public Device {
public:
  explicit FakeDevice(Script &script) : script(script) {}
  std::string_view name() const override { return "fake"; }
  absl::StatusOr<std::unique_ptr<DeviceProgram>> create(const ProgramDesc &program) override {
    ++script.compilations;
    return std::unique_ptr<DeviceProgram>(new FakeProgram(script, program));
  }

private:
  Script &script;
};

class ExecutorTest : public testing::Test {
protected:
  absl::StatusOr<std::shared_ptr<Bundle>> open(bool fake, int threads = 2) {
    BundleOptions options;
    options.device = "cpu";
    options.threads = threads;
    if (fake)
      options.makeDevice = [&] { return std::unique_ptr<Device>(new FakeDevice(script)); };
    return Bundle::open(files.dir(), options);
  }

  std::unique_ptr<Executor> make(bool fake, int threads = 2) {
    auto bundle = open(fake, threads);
    EXPECT_TRUE(bundle.ok()) << bundle.status();
    auto executor = Executor::create(*bundle, "");
    EXPECT_TRUE(executor.ok()) << executor.status();
    return std::move(*executor);
  }

  void setIds(Executor &executor, int64_t shift) {
    int64_t ids[kIds];
    for (int i = 0; i < kIds; ++i)
      ids[i] = (i * 3 + shift) % kVocabulary;
    auto status = executor.setInput(0, ids, sizeof ids);
    EXPECT_TRUE(status.ok()) << status;
  }

  void runAndCheck(Executor &executor, int64_t shift) {
    setIds(executor, shift);
    absl::Status status = executor.run();
    ASSERT_TRUE(status.ok()) << status;
    auto *out = static_cast<const float *>(executor.outputs()[0].data);
    for (int i = 0; i < kIds; ++i)
      for (int j = 0; j < kColumns; ++j)
        ASSERT_EQ(out[i * kColumns + j], TestBundle::expected((i * 3 + shift) % kVocabulary, j));
  }

  static void expectWords(const absl::Status &status, const std::string &words) {
    ASSERT_FALSE(status.ok());
    EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << words << " not in: " << status.message();
  }

  TestBundle files{ANE_TEST_HOST_LIBRARY};
  Script script;
};

TEST_F(ExecutorTest, LoadsProgramsSideBySide) {
  manifest::Manifest &m = files.content;
  manifest::Program other = m.programs[0];
  other.name = "other";
  m.programs.push_back(other);
  m.functions[0].steps.insert(m.functions[0].steps.begin() + 2, m.functions[0].steps[1]);
  m.functions[0].steps[2].target = "other";
  m.functions[0].steps[2].outputs = {static_cast<int64_t>(m.tensors.size())};
  m.tensors.push_back({"again", m.tensors[2].type});
  files.write();
  BundleOptions options;
  options.threads = 2;
  options.makeDevice = [&] { return std::make_unique<PatientDevice>(script, 2); };
  auto bundle = Bundle::open(files.dir(), options);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  auto executor = Executor::create(*bundle, "");
  ASSERT_TRUE(executor.ok()) << executor.status();
  EXPECT_TRUE((*executor)->events().empty()) << (*executor)->events()[0].reason;
  EXPECT_EQ((*bundle)->context().cache().counters().hits, 0);
}

TEST_F(ExecutorTest, DamagedCodeIsNotLoaded) {
  std::string path = files.path(files.content.hostLibraries[0].path);
  std::fstream library(path, std::ios::in | std::ios::out | std::ios::binary);
  library.seekp(2000);
  library.put('\x55');
  library.close();
  auto bundle = open(false);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  auto executor = Executor::create(*bundle, "");
  EXPECT_TRUE(absl::IsDataLoss(executor.status()));
  expectWords(executor.status(), "xxh128");
}

TEST_F(ExecutorTest, RunsOnTheDevice) {
  auto executor = make(true);
  ASSERT_EQ(executor->inputs().size(), 1u);
  EXPECT_EQ(executor->inputs()[0].name, "input_ids");
  EXPECT_EQ(executor->inputs()[0].bytes, 64);
  EXPECT_EQ(executor->outputs()[0].name, "out/sum");
  for (int64_t shift = 0; shift < 5; ++shift)
    runAndCheck(*executor, shift);
  EXPECT_EQ(script.loads, 1);
  EXPECT_EQ(script.runs, 5);
  EXPECT_TRUE(executor->events().empty());
  const StepProfile &program = executor->profile()[1];
  EXPECT_EQ(program.kind, "program");
  EXPECT_EQ(program.device, "fake");
  EXPECT_EQ(program.runs, 5);
}

TEST_F(ExecutorTest, RunsOnTheCpu) {
  for (int threads : {1, 2, 4}) {
    auto executor = make(false, threads);
    runAndCheck(*executor, 1);
    EXPECT_TRUE(executor->events().empty());
    EXPECT_EQ(executor->profile()[1].kind, "twin");
  }
}

TEST_F(ExecutorTest, ARefusedProgramRunsOnItsTwin) {
  script.load = absl::UnimplementedError("C16: channels are 98304, limit 65536");
  auto executor = make(true);
  runAndCheck(*executor, 2);
  ASSERT_EQ(executor->events().size(), 1u);
  const Event &event = executor->events()[0];
  EXPECT_EQ(event.program, "affine");
  EXPECT_EQ(event.device, "fake");
  EXPECT_EQ(event.phase, "load");
  EXPECT_EQ(event.reason, "C16: channels are 98304, limit 65536");
  EXPECT_EQ(executor->profile()[1].kind, "twin");
  EXPECT_EQ(executor->profile()[1].device, "cpu");
}

TEST_F(ExecutorTest, AProgramRefusedWhileRunningMovesToItsTwin) {
  script.failRunsFrom = 2;
  script.run = absl::FailedPreconditionError("status 0x1d");
  auto bundle = open(true);
  auto executor = *Executor::create(*bundle, ""), other = *Executor::create(*bundle, "");
  for (int64_t shift = 0; shift < 5; ++shift)
    runAndCheck(*executor, shift);
  EXPECT_EQ(script.runs, 4); // the third failed twice, and there was no fourth
  EXPECT_EQ(script.loads, 2);
  EXPECT_EQ(script.compilations, 1);
  ASSERT_EQ(executor->events().size(), 1u);
  EXPECT_EQ(executor->events()[0].phase, "run");
  // The program is refused, not the session's use of it.
  EXPECT_TRUE(other->events().empty());
  runAndCheck(*other, 1);
  EXPECT_EQ(script.runs, 4);
  EXPECT_EQ(other->events().size(), 1u);
  EXPECT_EQ((*Executor::create(*bundle, ""))->events().size(), 1u);
  EXPECT_EQ(script.loads, 2);
}

TEST_F(ExecutorTest, ARefusalThatDoesNotLastGetsASecondTry) {
  script.failRunsFrom = 1;
  script.failRunsUntil = 2;
  script.run = absl::UnavailableError("the engine was reset");
  std::string log;
  auto bundle = open(true);
  (*bundle)->context().log().setSink(LogLevel::Warning, [&](LogLevel, const std::string &line) { log += line + "\n"; });
  int64_t retries = (*bundle)->context().cache().counters().retries;
  auto executor = *Executor::create(*bundle, "");
  for (int64_t shift = 0; shift < 3; ++shift)
    runAndCheck(*executor, shift);
  EXPECT_TRUE(executor->events().empty());
  EXPECT_EQ(executor->profile()[1].device, "fake");
  EXPECT_EQ(script.runs, 4);
  EXPECT_EQ(script.loads, 2);
  EXPECT_EQ((*bundle)->context().cache().counters().retries, retries + 1);
  EXPECT_EQ(log, "program affine gets a second try: the engine was reset\n");
  (*bundle)->context().log().setSink(LogLevel::Off, nullptr);
}

TEST_F(ExecutorTest, ARefusalOfTheProgramGetsNoSecondTry) {
  script.load = absl::UnimplementedError("C16");
  auto executor = make(true);
  EXPECT_EQ(script.loads, 1);
  script.load = absl::ResourceExhaustedError("no memory");
  executor = make(true);
  EXPECT_EQ(script.loads, 3);
  EXPECT_EQ(executor->events().size(), 1u);
}

TEST_F(ExecutorTest, OverflowsAreRescuedReportedOrIgnored) {
  for (NumericPolicy policy : {NumericPolicy::Rescue, NumericPolicy::Report, NumericPolicy::Off}) {
    script = {};
    script.overflowInRun = 1;
    BundleOptions options;
    options.numeric = policy;
    options.makeDevice = [&] { return std::unique_ptr<Device>(new FakeDevice(script)); };
    auto executor = *Executor::create(*Bundle::open(files.dir(), options), "");
    setIds(*executor, 0);
    ASSERT_TRUE(executor->run().ok());
    EXPECT_EQ(std::isinf(static_cast<const float *>(executor->outputs()[0].data)[0]), policy != NumericPolicy::Rescue);
    EXPECT_EQ(executor->events().size(), policy == NumericPolicy::Off ? 0u : 1u);
    EXPECT_EQ(executor->profile()[1].device, policy == NumericPolicy::Rescue ? "cpu" : "fake");
  }
}

TEST_F(ExecutorTest, ARunCanBeCancelled) {
  auto executor = make(true);
  setIds(*executor, 0);
  executor->cancel();
  absl::Status status = executor->run();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  executor->cancel(false);
  runAndCheck(*executor, 1);
}

TEST_F(ExecutorTest, AnOverflowIsComputedAgainOnTheTwin) {
  script.overflowInRun = 2;
  auto executor = make(true);
  for (int64_t shift = 0; shift < 4; ++shift)
    runAndCheck(*executor, shift);
  EXPECT_EQ(script.runs, 4); // later runs use the device again
  ASSERT_EQ(executor->events().size(), 1u);
  EXPECT_EQ(executor->events()[0].phase, "numeric");
  EXPECT_NE(executor->events()[0].reason.find("is not finite"), std::string::npos);
}

TEST_F(ExecutorTest, AnOverflowWithoutATwinIsSaid) {
  script.overflowInRun = 1;
  files.content.programs[0].procedures[0].twin.clear();
  files.write();
  auto executor = make(true);
  setIds(*executor, 0);
  ASSERT_TRUE(executor->run().ok());
  ASSERT_EQ(executor->events().size(), 1u);
  EXPECT_NE(executor->events()[0].reason.find("its values stay"), std::string::npos);
}

TEST_F(ExecutorTest, ADamagedFileIsNoRefusal) {
  script.load = absl::DataLossError("weights/w.bin: bad magic");
  auto bundle = open(true);
  ASSERT_TRUE(bundle.ok());
  auto executor = Executor::create(*bundle, "main");
  expectWords(executor.status(), "program affine on fake: weights/w.bin");
}

TEST_F(ExecutorTest, ARefusalWithoutATwinNamesBothReasons) {
  files.content.hostLibraries = {{"riscv64-unknown-linux-gnu", "host/test.so"}};
  files.content.functions[0] = {
      "main", {{"x", 1}}, {{"y", 2}}, {{manifest::Step::Kind::Program, "affine", {1}, {2}, "main"}}};
  files.write();
  // With the device, no CPU code is needed ...
  EXPECT_NE(make(true), nullptr);
  // ... unless it refuses.
  script.load = absl::UnimplementedError("no such op");
  auto bundle = open(true);
  auto executor = Executor::create(*bundle, "");
  expectWords(executor.status(), "fake refused it: no such op");
  expectWords(executor.status(), "riscv64");
}

TEST_F(ExecutorTest, AProgramWithoutATwinNeedsADevice) {
  files.content.programs[0].procedures[0].twin.clear();
  files.write();
  EXPECT_NE(make(true), nullptr);
  auto bundle = open(false);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  expectWords(Executor::create(*bundle, "").status(), "program affine has no CPU twin; compile the model with --host=");
}

TEST_F(ExecutorTest, ExecutorsOfABundleShareItsPrograms) {
  auto bundle = open(true);
  ASSERT_TRUE(bundle.ok());
  auto first = Executor::create(*bundle, "main");
  auto second = Executor::create(*bundle, "main");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(script.loads, 1);
  std::thread other([&] {
    for (int i = 0; i < 50; ++i)
      runAndCheck(**second, i);
  });
  for (int i = 0; i < 50; ++i)
    runAndCheck(**first, i + 3);
  other.join();
}

TEST_F(ExecutorTest, InputsAreChecked) {
  auto executor = make(true);
  expectWords(executor->run(), "input input_ids was not set");
  int64_t ids[kIds] = {};
  expectWords(executor->setInput(0, ids, 8), "has 8 bytes, expected int64[8]");
  expectWords(executor->setInput(1, ids, 8), "main has 1 inputs");
}

TEST_F(ExecutorTest, ValuesThatAreCheckedEndARun) {
  // Native code reads all of these before the check is made.
  files.content.functions[0].checks = {{"the ids", 0, 1, 7, 28}};
  files.write();
  auto executor = make(true);
  auto runOn = [&](std::vector<int64_t> ids) {
    EXPECT_TRUE(executor->setInput(0, ids.data(), static_cast<int64_t>(ids.size() * sizeof(int64_t))).ok());
    return executor->run();
  };
  EXPECT_TRUE(runOn({1, 1, 2, 3, 4, 5, 6, 6}).ok());
  expectWords(runOn({1, 1, 2, 3, 4, 5, 6, 7}),
              "the ids: is 1, 1, 2, 3, 4, 5, 6, 7, must be from 1 to 7 each, and 28 together");
  expectWords(runOn({1, 1, 2, 3, 4, 5, 4, 8}), "the ids: is 1, 1,");
  expectWords(runOn({0, 2, 2, 3, 4, 5, 6, 6}), "the ids: is 0, 2,");
  EXPECT_TRUE(runOn({7, 1, 2, 3, 4, 5, 5, 1}).ok());
}

TEST_F(ExecutorTest, NativeCodeIsLoadedOnlyWhereItMay) {
  BundleOptions options;
  options.device = "cpu";
  options.trust = Trust::Nobody;
  auto bundle = Bundle::open(files.dir(), options);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  auto executor = Executor::create(*bundle, "");
  EXPECT_TRUE(absl::IsFailedPrecondition(executor.status()));
  expectWords(executor.status(), "host function embed: is native code of the bundle");
  EXPECT_EQ((*bundle)->hostName(), "");
  // Nor in place of a program that the device refuses.
  files.content.functions[0] = {
      "main", {{"x", 1}}, {{"y", 2}}, {{manifest::Step::Kind::Program, "affine", {1}, {2}, "main"}}};
  files.write();
  script.load = absl::UnimplementedError("no such op");
  options.makeDevice = [&] { return std::unique_ptr<Device>(new FakeDevice(script)); };
  bundle = Bundle::open(files.dir(), options);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  expectWords(Executor::create(*bundle, "").status(),
              "its CPU twin cannot run either: host function affine_twin: is native code of the bundle");
}

// Sizes in a manifest are no reason to touch all memory of the machine.
TEST_F(ExecutorTest, SizesBeyondTheMemoryAreRefused) {
  BundleOptions options;
  options.memoryLimit = 200000;
  options.makeDevice = [&] { return std::unique_ptr<Device>(new FakeDevice(script)); };
  files.content.programs[0].procedures[0].twin.clear();
  files.write();
  EXPECT_TRUE(Executor::create(*Bundle::open(files.dir(), options), "").ok());
  for (int64_t bytes : {int64_t(150000), int64_t(1) << 49}) {
    // One surface has room, two have not.
    files.content.programs[0].procedures[0].inputs[0].bytes = files.content.programs[0].procedures[0].outputs[0].bytes =
        bytes;
    files.write();
    absl::Status status = Executor::create(*Bundle::open(files.dir(), options), "").status();
    expectWords(status, bytes == 150000 ? "300000 bytes for surfaces" : "1125899.9 GB for surfaces");
    expectWords(status, "of 200000 bytes are left to this process; remedy: run it where there is more");
  }
  options.memoryLimit = 1000;
  options.device = "cpu";
  options.makeDevice = nullptr;
  files.content.functions[0].steps.resize(1);
  files.content.functions[0].outputs = {{"embedded", 1}};
  files.content.hostFunctions[0].arenaBytes = 3000000;
  files.write();
  absl::Status status = Executor::create(*Bundle::open(files.dir(), options), "").status();
  expectWords(status, "function main needs 3.0 MB (");
  expectWords(status, " bytes for values, 3.0 MB for scratch memory of CPU code)");
}

TEST_F(ExecutorTest, FunctionsAreFoundByName) {
  auto bundle = open(true);
  expectWords(Executor::create(*bundle, "decode").status(), "has no function \"decode\"; it has main");
}

TEST_F(ExecutorTest, OptionsAreChecked) {
  BundleOptions options;
  options.device = "gpu";
  expectWords(Bundle::open(files.dir(), options).status(), "device: is \"gpu\", expected auto");
  options.device = "cpu";
  options.threads = 100000;
  expectWords(Bundle::open(files.dir(), options).status(), "threads");
}

TEST_F(ExecutorTest, DamageIsFoundOnRequest) {
  {
    std::fstream file(files.path("weights/table.bin"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(200); // inside the payload: only the hash can tell
    file.put('x');
  }
  BundleOptions options;
  options.device = "cpu";
  EXPECT_TRUE(Bundle::open(files.dir(), options).ok());
  options.verifyHashes = true;
  expectWords(Bundle::open(files.dir(), options).status(), "weights/table.bin");
}

TEST_F(ExecutorTest, ADamagedWeightRecordIsAlwaysFound) {
  {
    std::fstream file(files.path("weights/table.bin"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(64);
    file.put('x');
  }
  auto bundle = open(true);
  ASSERT_TRUE(bundle.ok());
  expectWords(Executor::create(*bundle, "").status(), "weights/table.bin");
}

// Nor does what has taken the bundle's place matter.
TEST_F(ExecutorTest, ARelativePathSurvivesAChangeOfDirectory) {
  namespace fs = std::filesystem;
  fs::path before = fs::current_path(), parent = fs::path(files.dir()).parent_path();
  for (const char *device : {"cpu", "emulator"}) {
    BundleOptions options;
    options.device = device;
    fs::current_path(parent);
    auto bundle = Bundle::open("bundle", options);
    fs::current_path(before);
    fs::rename(parent / "bundle", parent / "moved");
    fs::create_directory(parent / "bundle");
    ASSERT_TRUE(bundle.ok()) << bundle.status();
    auto executor = Executor::create(*bundle, "");
    ASSERT_TRUE(executor.ok()) << executor.status();
    runAndCheck(**executor, 1);
    fs::remove(parent / "bundle");
    fs::rename(parent / "moved", parent / "bundle");
  }
}

TEST_F(ExecutorTest, OnlyListedFilesAreOpened) {
  std::filesystem::copy(files.path("weights/table.bin"), files.path("weights/other.bin"));
  std::ofstream(files.path("programs/affine.mil")) << R"(program(1.3)
[buildInfo = dict<string, string>({})]
{
    func main<ios18>(tensor<fp16, [1, 64, 1, 32]> x) {
        tensor<fp32, [4]> unlisted = const()[name = string("unlisted"), val = tensor<fp32, [4]>(BLOBFILE(path = string("@model_path/weights/other.bin"), offset = uint64(64)))];
        tensor<fp16, [1, 64, 1, 32]> y = relu(x = x)[name = string("y")];
    } -> (y);
}
)";
  files.write();
  BundleOptions options;
  options.device = "emulator";
  options.emulatorMode = "plain";
  auto bundle = Bundle::open(files.dir(), options);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  expectWords(Executor::create(*bundle, "").status(), "other.bin: is not among the files");
}

// The same program in MIL text on the emulator.
TEST_F(ExecutorTest, RunsOnTheEmulator) {
  BundleOptions options;
  options.device = "emulator";
  options.threads = 2;
  auto bundle = Bundle::open(files.dir(), options);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  auto executor = Executor::create(*bundle, "");
  ASSERT_TRUE(executor.ok()) << executor.status();
  runAndCheck(**executor, 1);
  runAndCheck(**executor, 4);
  EXPECT_TRUE((*executor)->events().empty());
  EXPECT_EQ((*executor)->profile()[1].device, "emulator");
}

// One load for two steps, each with its own function and surfaces.
TEST_F(ExecutorTest, ProceduresOfAProgramAreLoadedOnce) {
  std::ofstream(files.path("programs/affine.mil")) << R"(program(1.3)
[buildInfo = dict<string, string>({})]
{
    func again<ios18>(tensor<fp16, [1, 64, 1, 32]> u) {
        tensor<fp16, [1, 64, 1, 32]> v = add(x = u, y = u)[name = string("v")];
    } -> (v);
    func main<ios18>(tensor<fp16, [1, 64, 1, 32]> x) {
        tensor<fp16, [1, 64, 1, 32]> y = identity(x = x)[name = string("y")];
    } -> (y);
}
)";
  std::vector<manifest::Procedure> &procedures = files.content.programs[0].procedures;
  procedures.push_back(procedures[0]);
  procedures[1].name = "again";
  procedures[1].inputs[0].name = "u";
  procedures[1].outputs[0].name = "v";
  files.content.tensors.push_back({"twice", files.content.tensors[2].type});
  files.content.functions[0].steps.push_back({manifest::Step::Kind::Program, "affine", {2}, {4}, "again"});
  files.content.functions[0].outputs.push_back({"twice", 4});
  files.write();
  BundleOptions options;
  options.context = std::make_shared<Context>();
  options.device = "emulator";
  options.emulatorMode = "plain";
  auto bundle = Bundle::open(files.dir(), options);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  auto executor = Executor::create(*bundle, "");
  ASSERT_TRUE(executor.ok()) << executor.status();
  setIds(**executor, 1);
  ASSERT_TRUE((*executor)->run().ok());
  auto value = [&](int port) { return static_cast<const float *>((*executor)->outputs()[port].data); };
  for (int i = 0; i < kIds * kColumns; ++i)
    ASSERT_EQ(value(2)[i], 2 * value(1)[i]);
  EXPECT_NE(value(2)[1], 0);
  EXPECT_EQ((*executor)->profile()[1].name, "affine.main");
  EXPECT_EQ((*executor)->profile()[3].name, "affine.again");
  ProgramCounters counters = options.context->cache().counters();
  EXPECT_EQ(counters.compilations, 1);
  EXPECT_EQ(counters.loaded, 1);
  EXPECT_EQ(counters.evaluations, 2);
}

TEST_F(ExecutorTest, ARefusalNamesTheProcedure) {
  std::vector<manifest::Procedure> &procedures = files.content.programs[0].procedures;
  procedures.push_back(procedures[0]);
  procedures[1].name = "again";
  files.write();
  script.load = absl::FailedPreconditionError("no room");
  auto executor = make(true);
  ASSERT_EQ(executor->events().size(), 1u);
  EXPECT_EQ(executor->events()[0].program, "affine.main");
  runAndCheck(*executor, 1);
}

TEST_F(ExecutorTest, AFileThatChangesAfterOpeningIsAnError) {
  auto bundle = open(true);
  std::filesystem::resize_file(files.path("weights/table.bin"), 10);
  expectWords(Executor::create(*bundle, "").status(), "has 10 bytes");
}

} // namespace
