#include "runtime/device/cpu/host_library.h"
#include "runtime/format/npy/npy.h"
#include "runtime/test/core/test_bundle.h"
#include "runtime/tools/ane_run.h"
#include "runtime/tools/command_line.h"
#include "runtime/tools/run_inputs.h"
#include "runtime/tools/run_outputs.h"
#include <cmath>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ane::rt;
using namespace ane::rt::test;
using namespace ane::rt::tools;
namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Null without a sanitizer.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

namespace {

struct Result {
  int code;
  std::string out, err;
};

Result run(std::vector<std::string> arguments) {
  std::istringstream in;
  std::ostringstream out, err;
  int code = aneRun(arguments, {in, out, err});
  return {code, out.str(), err.str()};
}

void expectError(const Result &result, std::vector<std::string> words, int code = 1) {
  EXPECT_EQ(result.code, code);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.rfind("ane-run: error: ", 0), 0u) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const std::string &word : words)
    EXPECT_NE(result.err.find(word), std::string::npos) << word << " not in: " << result.err;
}

void expectUsageError(const Result &result, std::vector<std::string> words) {
  expectError(result, std::move(words), 2);
}

class AneRun : public testing::Test {
protected:
  /// Runs the bundle with --device=cpu and two threads.
  Result runCpu(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {files.dir(), "--device=cpu", "--threads=2"});
    return run(arguments);
  }
  std::string saveIds(const std::string &name, std::vector<int64_t> shape = {8}) {
    int64_t count = manifest::elementCount(shape);
    std::vector<int64_t> ids(count);
    for (int64_t i = 0; i < count; ++i)
      ids[i] = i % kVocabulary;
    std::string path = files.path(name);
    EXPECT_TRUE(npy::write(path, ElementType::Int64, shape, ids.data()).ok());
    return path;
  }

  TestBundle files{ANE_TEST_HOST_LIBRARY};
};

TEST_F(AneRun, WritesOutputs) {
  std::string ids = saveIds("ids.npy"), out = files.path("new/out");
  for (const char *device : {"cpu", "emulator", "auto"}) {
    Result result = run({"--input", "input_ids=" + ids, "--output-dir", out, files.dir(), "--device", device});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("out/sum"), std::string::npos) << result.out;
    auto sum = npy::read(out + "/out_sum.npy");
    ASSERT_TRUE(sum.ok()) << sum.status();
    EXPECT_EQ(sum->describe(), "float32[1, 8, 64]");
    auto *data = reinterpret_cast<const float *>(sum->data.data());
    for (int i = 0; i < kIds; ++i)
      EXPECT_EQ(data[i * kColumns + 5], TestBundle::expected(i, 5));
    EXPECT_TRUE(fs::exists(out + "/affine.npy"));
    fs::remove_all(files.path("new"));
  }
}

TEST_F(AneRun, ReportsJson) {
  Result result =
      run({files.dir(), "--device=emulator", "--random-inputs", "--seed=0", "--input=input_ids=" + saveIds("ids.npy"),
           "--repeat=3", "--compare-device=cpu", "--profile", "--json", "--verify"});
  ASSERT_EQ(result.code, 0) << result.err;
  Json json = Json::parse(result.out);
  EXPECT_EQ(json["device"], "emulator");
  EXPECT_EQ(json["host"], machineTriple());
  EXPECT_EQ(json["function"], "main");
  EXPECT_EQ(json["time_ms"]["runs"], 3);
  double min = json["time_ms"]["min"], median = json["time_ms"]["median"];
  EXPECT_GT(min, 0);
  EXPECT_LE(min, median);
  EXPECT_EQ(json["outputs"][0]["name"], "out/sum");
  EXPECT_EQ(json["outputs"][0]["max"], TestBundle::expected(7, 6));
  EXPECT_EQ(json["events"], Json::array());
  EXPECT_EQ(json["compare"]["device"], "cpu");
  EXPECT_EQ(json["compare"]["outputs"][0]["max_abs"], 0);
  EXPECT_EQ(json["compare"]["outputs"][0]["nan_on_one_side"], 0);
  EXPECT_EQ(json["profile"][1]["name"], "affine");
  EXPECT_EQ(json["profile"][1]["runs"], 4); // one before the timed ones
}

TEST_F(AneRun, ReportsText) {
  Result result = runCpu(
      {"--input", "input_ids=" + saveIds("ids.npy"), "--repeat", "2", "--profile", "--compare-device", "emulator"});
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char *words :
       {"ran main on cpu, 2 threads, CPU code for ", "median", "against emulator", "cosine", "twin", "layout us"})
    EXPECT_NE(result.out.find(words), std::string::npos) << words << " not in " << result.out;
}

TEST_F(AneRun, SaysWhichProgramsWereRefused) {
  std::ofstream(files.path("programs/affine.mil")) << R"(program(1.3)
{
    func main<ios18>(tensor<fp16, [1, 64, 1, 32]> x) {
        tensor<fp16, [1, 64, 1, 32]> y = no_such_op(x = x)[name = string("y")];
    } -> (y);
}
)";
  files.write();
  Result result = run(
      {files.dir(), "--device=emulator", "--json", "--emulator-mode=plain", "--input=input_ids=" + saveIds("ids.npy")});
  ASSERT_EQ(result.code, 0) << result.err;
  Json note = Json::parse(result.err);
  EXPECT_EQ(note["severity"], "note");
  std::string message = note["message"];
  EXPECT_EQ(message.rfind("program affine ran on its CPU twin", 0), 0u) << message;
  EXPECT_NE(message.find("no_such_op"), std::string::npos) << message;
  Json events = Json::parse(result.out)["events"];
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0]["program"], "affine");
  EXPECT_EQ(events[0]["phase"], "load");
}

TEST_F(AneRun, TellsWhatTheDeviceDid) {
  std::string ids = "--input=input_ids=" + saveIds("ids.npy");
  Result result = run({files.dir(), "--device=emulator", "--profile", "--json", ids, "--numeric=off"});
  ASSERT_EQ(result.code, 0) << result.err;
  Json json = Json::parse(result.out);
  Json step = json["profile"][1];
  EXPECT_EQ(step["evaluations"], 1);
  EXPECT_EQ(step["input_bytes"], 49152);
  EXPECT_EQ(step["energy_nj"], "unknown");
  EXPECT_EQ(json["copies"]["last_surface_bytes"], 4096);
  EXPECT_EQ(json["copies"]["last_scanned_bytes"], 0);
  result = run({files.dir(), "--device=emulator", "--profile", ids});
  EXPECT_NE(result.out.find("a run copied 4096 bytes into and out of surfaces and 0 into states, and looked at 4096"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("energy: unknown, the device does not tell"), std::string::npos) << result.out;
  EXPECT_EQ(run({files.dir(), "--numeric=never", ids}).code, 2);
}

TEST_F(AneRun, FillsBucketsUp) {
  auto &m = files.content;
  m.functions[0].name = "main_8";
  m.buckets = {{"main", "tokens", manifest::Padding::Zeros, {}, {{0}}, {{1}, {1}}, {kIds}, {0}}};
  files.write();
  std::string out = files.path("out");
  for (const char *device : {"cpu", "emulator"}) {
    Result result = run({files.dir(), std::string("--device=") + device, "--json", "--compare-device=cpu",
                         "--input=input_ids=" + saveIds("five.npy", {5}), "--output-dir", out});
    ASSERT_EQ(result.code, 0) << result.err;
    Json json = Json::parse(result.out);
    EXPECT_EQ(json["function"], "main_8");
    EXPECT_EQ(json["outputs"][0]["shape"], Json({1, 5, kColumns}));
    EXPECT_EQ(json["compare"]["outputs"][0]["max_abs"], 0);
  }
  expectError(runCpu({"--input=input_ids=" + saveIds("nine.npy", {9})}), {"input input_ids", "tokens"});
  expectError(runCpu({"--input=input_ids=" + saveIds("matrix.npy", {2, 4})}), {"input input_ids", "int64[2, 4]"});
  m.functions[0].inputs[0].name = "segment"; // random ones of that name are zeros
  files.write();
  EXPECT_EQ(Json::parse(run({files.dir(), "--device=cpu", "--json", "--random-inputs"}).out)["outputs"][0]["shape"],
            Json({1, kIds, kColumns}));
}

TEST_F(AneRun, RefusesWrongInputs) {
  expectError(runCpu({}), {"input input_ids (int64[8]) has no value", "--random-inputs"});
  expectError(runCpu({"--input", "nobody=x.npy"}), {"has no input \"nobody\"", "input_ids int64[8]"});
  expectError(runCpu({"--input", "input_ids=" + files.path("none.npy")}), {"input input_ids", "none.npy"});
  std::string wrong = saveIds("wrong.npy", {2, 4});
  expectError(runCpu({"--input", "input_ids=" + wrong}), {"input input_ids", "int64[2, 4], expected int64[8]"});
  std::vector<int32_t> narrow(8);
  std::string path = files.path("int32.npy");
  ASSERT_TRUE(npy::write(path, ElementType::Int32, {8}, narrow.data()).ok());
  expectError(runCpu({"--input", "input_ids=" + path}), {"int32[8], expected int64[8]", "astype(\"int64\")"});
  std::ofstream(files.path("text.npy")) << "hello";
  expectError(runCpu({"--input", "input_ids=" + files.path("text.npy")}),
              {"input input_ids", "text.npy", "not a .npy file"});
}

TEST_F(AneRun, RefusesWrongArguments) {
  expectUsageError(run({}), {"no bundle given"});
  expectUsageError(run({"a", "b"}), {"one bundle at a time", "\"b\""});
  expectUsageError(run({files.dir(), "--devise=cpu"}), {"unknown option --devise", "did you mean --device?"});
  for (const char *far : {"--zzzzzzzz", "--bogus", "-o"}) {
    Result result = run({files.dir(), far});
    expectUsageError(result, {"unknown option", "--help"});
    EXPECT_EQ(result.err.find("did you mean"), std::string::npos) << result.err;
  }
  expectUsageError(run({files.dir(), "--device"}), {"--device needs a value"});
  expectUsageError(run({files.dir(), "--json=yes"}), {"--json takes no value"});
  expectUsageError(run({files.dir(), "--device=ane:", "--random-inputs"}), {"ane:", "auto, ane, emulator or cpu"});
  expectUsageError(run({files.dir(), "--device=toaster", "--random-inputs"}),
                   {"toaster", "auto, ane, emulator or cpu"});
  expectUsageError(run({files.dir(), "--device=cpu", "--device=cpu"}), {"twice"});
  expectUsageError(run({files.dir(), "--repeat=0"}), {"--repeat", "1 to 1000000"});
  expectUsageError(run({files.dir(), "--seed=many"}), {"--seed", "many"});
  expectUsageError(run({files.dir(), "--input=ids"}), {"--input", "NAME=FILE"});
  expectUsageError(run({files.dir(), "--input=a=b", "--input=a=c"}), {"a is given"});
  expectUsageError(run({files.dir(), "--weights=x"}), {"without --mil"});
  expectUsageError(run({"--mil=x.mil", "--device=cpu"}), {"--device", "--mil"});
  expectUsageError(run({"--mil=x.mil", files.dir()}), {"exclude"});
  expectUsageError(run({files.dir(), "--compare-device=gpu"}), {"--compare-device: is \"gpu\""});
  expectUsageError(run({"--mil=x.mil", "--target=m99"}), {"unknown target 'm99'"});
  // The command line is sound here; it does not fit the bundle.
  expectError(run({files.dir(), "--function=decode", "--random-inputs"}), {"no function \"decode\"", "main"});
  expectError(run({"/nonexistent"}), {"/nonexistent"});
}

TEST_F(AneRun, MessagesAreJsonOnRequest) {
  for (auto [arguments, code] : {std::pair<std::vector<std::string>, int>({"/nonexistent", "--json"}, 1),
                                 {{"--json", "--bogus"}, 2},
                                 {{"/none\xff", "--json"}, 1}}) {
    Result result = run(arguments);
    EXPECT_EQ(result.code, code);
    EXPECT_EQ(result.out, "");
    Json message = Json::parse(result.err);
    EXPECT_EQ(message["severity"], "error");
    EXPECT_NE(message["message"], "");
  }
}

TEST_F(AneRun, LoadsNoNativeCodeWhenAsked) {
  std::string ids = "--input=input_ids=" + saveIds("ids.npy");
  for (const char *device : {"cpu", "emulator"})
    expectError(run({files.dir(), "--device", device, "--no-native-code", ids}),
                {"host function embed: is native code of the bundle", "if you trust the bundle"});
  // A plan without functions of the CPU runs.
  files.content.functions[0] = {
      "main", {{"x", 1}}, {{"y", 2}}, {{manifest::Step::Kind::Program, "affine", {1}, {2}, "main"}}};
  files.content.hostLibraries[0].path = files.content.files[0].path = "host/damaged.so";
  std::ofstream(files.path("host/damaged.so")) << "not a library";
  files.write();
  Result result = run({files.dir(), "--device=emulator", "--no-native-code", "--random-inputs"});
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST_F(AneRun, MemoryThatIsNotThereIsAnError) {
  files.content.functions[0].steps.resize(1);
  files.content.functions[0].outputs = {{"embedded", 1}};
  files.content.hostFunctions[0].arenaBytes = int64_t(1) << 49;
  files.write();
  expectError(runCpu({"--random-inputs"}),
              {"562950.0 GB for scratch memory of CPU code", "are left to this process", "--memory-limit"});
  files.content.hostFunctions[0].arenaBytes = 5000000;
  files.write();
  expectError(runCpu({"--random-inputs", "--memory-limit=5000000"}), {"5.0 MB for scratch memory", "of 5000000 bytes"});
}

/// What a process printed on its standard error, and how it ended.
struct Ended {
  int code;
  std::string err;
};

/// Bytes of the address space of this process.
rlim_t addressSpace() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

/// ane-run in a process of its own, with `out` as its standard output, which may take `more` bytes; 0: any number.
Ended runProcess(const std::vector<std::string> &arguments, int out, rlim_t more = 0) {
  int err[2];
  EXPECT_EQ(pipe(err), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(out, STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    rlimit limit = {addressSpace() + more, RLIM_INFINITY};
    if (more && setrlimit(RLIMIT_AS, &limit) != 0)
      _exit(127); // no code of ane-run's
    _exit(aneRunProcess(arguments));
  }
  close(err[1]);
  Ended ended;
  char part[256];
  for (ssize_t got; (got = read(err[0], part, sizeof part)) > 0;)
    ended.err.append(part, static_cast<size_t>(got));
  close(err[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

// The values fit, what they are printed from does not.
TEST_F(AneRun, AnAllocationThatFailsIsAnError) {
  if (__sanitizer_set_death_callback)
    GTEST_SKIP() << "a sanitizer takes all of the address space";
  auto tensor = static_cast<int64_t>(files.content.tensors.size());
  files.content.tensors.push_back({"many", {ElementType::UInt8, {50000000}}});
  files.content.functions[0] = {"main", {{"many", tensor}}, {{"same", tensor}}, {}};
  files.write();
  int out = open("/dev/null", O_WRONLY);
  Ended ended = runProcess({files.dir(), "--device=cpu", "--threads=1", "--random-inputs"}, out, 200 << 20);
  close(out);
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_EQ(ended.err, "ane-run: error: there is not enough memory for this run\n");
}

TEST_F(AneRun, IsSilentWhereNobodyReads) {
  int out[2];
  ASSERT_EQ(pipe(out), 0);
  close(out[0]);
  std::string folder = files.path("out");
  Ended ended = runProcess(
      {files.dir(), "--device=cpu", "--threads=1", "--input=input_ids=" + saveIds("ids.npy"), "--output-dir", folder},
      out[1]);
  close(out[1]);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_TRUE(fs::exists(folder + "/affine.npy"));
}

TEST_F(AneRun, AFullDiskIsAnError) {
  int full = open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  Ended ended = runProcess({"--version"}, full);
  close(full);
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.err, "ane-run: error: cannot write to the standard output: No space left on device\n");
}

TEST_F(AneRun, RunsAProgram) {
  std::vector<float> x(64 * 32);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 100);
  std::string path = files.path("x.npy"), out = files.path("out");
  ASSERT_TRUE(npy::write(path, ElementType::Float32, {1, 64, 1, 32}, x.data()).ok());
  Result result = run({"--mil", files.path("programs/affine.mil"), "--weights", files.dir(), "--input", "x=" + path,
                       "--output-dir", out});
  ASSERT_EQ(result.code, 0) << result.err;
  auto y = npy::read(out + "/y.npy");
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->shape, (std::vector<int64_t>{1, 64, 1, 32}));
  expectError(run({"--mil", files.path("none.mil")}), {"none.mil"});
}

TEST_F(AneRun, LeavesNothingAfterAnError) {
  files.content.functions[0].outputs = {{"a/b", 3}, {"a_b", 2}};
  files.write();
  std::string out = files.path("out");
  expectError(runCpu({"--input=input_ids=" + saveIds("ids.npy"), "--output-dir", out}), {"a/b", "a_b", "a_b.npy"});
  EXPECT_FALSE(fs::exists(out));
  // The second file can't be written: a folder has its name.
  files.content.functions[0].outputs = {{"first", 3}, {"second", 2}};
  files.write();
  fs::create_directories(out + "/second.npy/x");
  expectError(runCpu({"--input=input_ids=" + saveIds("ids.npy"), "--output-dir", out}), {"output second"});
  EXPECT_FALSE(fs::exists(out + "/first.npy"));
}

TEST_F(AneRun, HelpIsComplete) {
  Result result = run({"--help"});
  EXPECT_EQ(result.code, 0);
  for (const char *option : {"--device",         "--input",    "--random-inputs", "--seed",    "--output-dir",
                             "--compare-device", "--repeat",   "--profile",       "--json",    "--verify",
                             "--no-native-code", "--function", "--threads",       "--numeric", "--mil",
                             "--weights",        "--trace",    "--probe",         "--target",  "Examples:"})
    EXPECT_NE(result.out.find(option), std::string::npos) << option;
  EXPECT_EQ(run({"--version"}).out, "ane-run 1.0.0\n");
}

TEST(RandomInputs, FollowSeedAndName) {
  manifest::TensorType ids{ElementType::Int64, {2, 50}};
  auto draw = [&](const char *name, int64_t seed) {
    std::vector<int64_t> values(100);
    drawInput(name, ids, seed, values.data());
    return values;
  };
  EXPECT_EQ(draw("input_ids", 1), draw("input_ids", 1));
  EXPECT_NE(draw("input_ids", 1), draw("input_ids", 2));
  EXPECT_NE(draw("input_ids", 1), draw("other_ids", 1));
  std::vector<int64_t> values = draw("input_ids", 1);
  EXPECT_GE(*std::min_element(values.begin(), values.end()), 0);
  EXPECT_LE(*std::max_element(values.begin(), values.end()), 99);
  EXPECT_GT(std::set<int64_t>(values.begin(), values.end()).size(), 20u);
  EXPECT_EQ(draw("attention_mask", 1), std::vector<int64_t>(100, 1));
  EXPECT_EQ(draw("token_type_ids", 1), std::vector<int64_t>(100, 0));
  EXPECT_EQ(draw("position_ids", 1)[49], 49);
  EXPECT_EQ(draw("position_ids", 1)[50], 0);
}

TEST(RandomInputs, FloatsAreNormal) {
  manifest::TensorType type{ElementType::Float32, {10000}};
  std::vector<float> values(10000);
  drawInput("x", type, 3, values.data());
  double sum = 0, squares = 0;
  for (float value : values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(squares / 10000, 1, 0.05);
}

TEST(Summarize, KeepsNaN) {
  for (const std::vector<double> &values : std::vector<std::vector<double>>{{NAN, NAN}, {1, NAN, 2}}) {
    Summary s = summarize(values);
    EXPECT_TRUE(std::isnan(s.min) && std::isnan(s.mean) && std::isnan(s.max));
  }
  Summary s = summarize({3, -1, 4});
  EXPECT_EQ(s.min, -1);
  EXPECT_EQ(s.mean, 2);
  EXPECT_EQ(s.max, 4);
}

TEST(Compare, MeasuresErrors) {
  Difference d = compare({1, 2, 3}, {1, 2, 5});
  EXPECT_EQ(d.maxAbs, 2);
  EXPECT_NEAR(d.rms, 2 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(d.cosine, 20 / std::sqrt(14.0 * 30.0), 1e-12);
  EXPECT_EQ(d.maxReference, 5);
  EXPECT_EQ(compare({0, 0}, {0, 0}).cosine, 1);
  double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(compare({inf}, {inf}).maxAbs, 0);
  EXPECT_EQ(compare({NAN}, {1}).maxAbs, inf);
}

TEST(Compare, CountsNaNOfOneSide) {
  Difference same = compare({NAN, 3, 4}, {NAN, 3, 4});
  EXPECT_EQ(same.maxAbs, 0);
  EXPECT_EQ(same.rms, 0);
  EXPECT_EQ(same.cosine, 1);
  EXPECT_EQ(same.oneNaN, 0);
  EXPECT_EQ(compare({NAN}, {NAN}).cosine, 1);
  Difference differs = compare({NAN, 1, NAN}, {NAN, NAN, 2});
  EXPECT_EQ(differs.maxAbs, std::numeric_limits<double>::infinity());
  EXPECT_EQ(differs.oneNaN, 2);
}

TEST(OutputFileName, ReplacesUnusualCharacters) {
  EXPECT_EQ(outputFileName("a/b c\\d:0-x_y.z"), "a_b_c_d:0-x_y.z.npy");
  EXPECT_EQ(outputFileName("../up"), ".._up.npy");
}

TEST(CommandLine, TakesArgumentsInAnyOrder) {
  bool flag = false;
  std::string value;
  std::vector<std::string> many, positional;
  int64_t number = 7;
  CommandLine line;
  line.flag("flag", &flag, "");
  line.option("value", &value, "V", "");
  line.list("many", &many, "M", "");
  line.number("number", &number, -5, 5, "");
  ASSERT_TRUE(line.parse({"a", "--many", "1", "--number", "-3", "b", "--flag", "--many=2=3", "--value=", "--", "--c"},
                         positional)
                  .ok());
  EXPECT_TRUE(flag);
  EXPECT_EQ(many, (std::vector<std::string>{"1", "2=3"}));
  EXPECT_EQ(number, -3);
  EXPECT_EQ(positional, (std::vector<std::string>{"a", "b", "--c"}));
  EXPECT_TRUE(line.given("value"));
  EXPECT_EQ(value, "");
}

} // namespace
