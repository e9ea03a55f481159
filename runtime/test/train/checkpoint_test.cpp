// Checkpoints: what is saved comes back, and what does not fit or is damaged is named.
#include "runtime/test/temporary_folder.h"
#include "runtime/train/checkpoint/checkpoint.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ane::rt;
using namespace ane::rt::train;
namespace fs = std::filesystem;

namespace {

/// A run of a matrix and a vector with two moments of the matrix, whose values say whose they are.
struct FakeRun {
  std::vector<float> bias, weight, first, second;
  Identity identity;
  RunState state;

  explicit FakeRun(float value = 0) : bias(3, value), weight(6, value + 1), first(6, value + 2), second(6, value + 3) {
    weight[1] = std::numeric_limits<float>::denorm_min();
    weight[2] = -0.0f;
    weight[3] = std::numeric_limits<float>::quiet_NaN();
    identity.training = "00112233445566778899aabbccddeeff";
    identity.parameters = {{"bias", {ElementType::Float32, {3}}}, {"weight", {ElementType::Float32, {2, 3}}}};
    state.step = 120;
    state.updates = 119;
    state.optimizer = "adamw";
    state.hyperParameters = {{"rate", 0.1}, {"decay", 1e-300}, {"clip", std::numeric_limits<double>::infinity()}};
    state.settings = {{"schedule", "cosine"}};
    state.seed = ~uint64_t(0);
    state.epoch = 3;
    state.index = uint64_t(1) << 63;
    state.data = "hash";
    state.lossScale = 65536;
    state.finiteSteps = 7;
    state.skippedSteps = 1;
    state.lastLoss = 2.0 / 3;
    state.bestEvaluation = std::numeric_limits<double>::quiet_NaN();
    state.device = "emulator";
  }
  std::vector<RunArray> arrays() {
    return {{"", "bias", {3}, bias.data()},
            {"", "weight", {2, 3}, weight.data()},
            {"first", "weight", {2, 3}, first.data()},
            {"second", "weight", {2, 3}, second.data()}};
  }
  absl::StatusOr<std::string> save(const std::string &folder, int64_t keep = 0) {
    return saveCheckpoint(folder, state, identity, arrays(), keep);
  }
  absl::StatusOr<RunState> load(const std::string &path) { return loadCheckpoint(path, identity, arrays()); }
};

bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class Checkpoints : public testing::Test {
protected:
  test::TemporaryFolder temporary;
  std::string folder = temporary.path("run");

  std::vector<std::string> names() {
    std::vector<std::string> found;
    for (const auto &entry : fs::directory_iterator(folder))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
};

#define EXPECT_SAYS(status, words) EXPECT_NE(std::string((status).message()).find(words), std::string::npos) << (status)

/// All digits of alpha: the same matrices with another factor are another model.
TEST(Identity, TellsAlphasOfAdaptersApart) {
  auto identity = [](double alpha) {
    manifest::Manifest m;
    m.training = manifest::Training();
    m.training->step = "step";
    m.functions = {{"step"}};
    m.adapters = manifest::Adapters{4, alpha};
    return identityOf(m);
  };
  EXPECT_EQ(difference(identity(16.0 / 3), identity(16.0 / 3)), "");
  EXPECT_NE(difference(identity(16.0 / 3), identity(5.33333)).find("alpha of adapters"), std::string::npos);
}

/// A number of the configuration by its name, and else the kind of op.
TEST(Identity, TellsWhatIsComputedOtherwise) {
  auto identity = [](std::vector<std::string> graph) { return Identity{"x", {}, std::move(graph)}; };
  const Identity one = identity({"rms_norm_eps 1.0e-5", "2 x rms_norm {epsilon = 1.0e-5}", "structure 12"});
  EXPECT_EQ(difference(one, one), "");
  EXPECT_EQ(difference(one, identity({"rms_norm_eps 1.0e-6", "2 x rms_norm {epsilon = 1.0e-6}", "structure 13"})),
            "rms_norm_eps is 1.0e-5 there and 1.0e-6 here");
  EXPECT_EQ(
      difference(one, identity({"rms_norm_eps 1.0e-5", "3 x rms_norm {epsilon = 1.0e-5}", "structure 12"})),
      "what the model computes has \"2 x rms_norm {epsilon = 1.0e-5}\" there and \"3 x rms_norm {epsilon = 1.0e-5}\" "
      "here");
  EXPECT_EQ(difference(one, identity({"rms_norm_eps 1.0e-5", "2 x rms_norm {epsilon = 1.0e-5}"})),
            "what the model computes has \"structure 12\" there and nothing in its place here");
}

TEST_F(Checkpoints, ComeBackBitForBit) {
  FakeRun run(5);
  auto path = run.save(folder);
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(*path, folder + "/step-000120");
  EXPECT_EQ(*findCheckpoint(folder), *path);
  EXPECT_EQ(*findCheckpoint(*path), *path);
  FakeRun other;
  auto state = other.load(*path);
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_TRUE(sameBits(other.bias, run.bias));
  EXPECT_TRUE(sameBits(other.weight, run.weight));
  EXPECT_TRUE(sameBits(other.first, run.first));
  EXPECT_TRUE(sameBits(other.second, run.second));
  EXPECT_EQ(state->step, 120);
  EXPECT_EQ(state->updates, 119);
  EXPECT_EQ(state->hyperParameters, run.state.hyperParameters);
  EXPECT_EQ(state->settings, run.state.settings);
  EXPECT_EQ(state->seed, run.state.seed);
  EXPECT_EQ(state->epoch, 3u);
  EXPECT_EQ(state->index, run.state.index);
  EXPECT_EQ(state->lossScale, 65536);
  EXPECT_EQ(state->finiteSteps, 7);
  EXPECT_EQ(state->skippedSteps, 1);
  EXPECT_EQ(state->lastLoss, run.state.lastLoss);
  EXPECT_FALSE(state->bestLoss.has_value());
  EXPECT_TRUE(std::isnan(*state->bestEvaluation));
  EXPECT_EQ(state->device, "emulator");
  EXPECT_EQ(difference(*state, run.state), "");
  // The same run gives the same bytes.
  StateFile read = *readCheckpointState(*path);
  EXPECT_EQ(printState(read), printState(*parseState(printState(read), "s")));
}

TEST_F(Checkpoints, TheLastOnesAreKept) {
  FakeRun run;
  for (int64_t step : {5, 10, 15, 20}) {
    run.state.step = step;
    ASSERT_TRUE(run.save(folder, 2).ok());
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"step-000015", "step-000020"}));
  fs::create_directory(folder + "/step-000030"); // no state
  fs::create_directory(folder + "/step-31");     // the user's
  EXPECT_EQ(*findCheckpoint(folder), folder + "/step-000020");
  EXPECT_EQ(listCheckpoints(folder), (std::vector<int64_t>{15, 20, 30}));
  run.state.step = 1234567;
  EXPECT_EQ(*run.save(folder), folder + "/step-1234567");
  EXPECT_EQ(*findCheckpoint(folder), folder + "/step-1234567");
}

TEST_F(Checkpoints, AStepIsSavedAgain) {
  FakeRun run(1), other(2), read;
  ASSERT_TRUE(run.save(folder).ok());
  ASSERT_TRUE(other.save(folder, 1).ok());
  EXPECT_EQ(names(), (std::vector<std::string>{"step-000120"}));
  ASSERT_TRUE(read.load(*findCheckpoint(folder)).ok());
  EXPECT_TRUE(sameBits(read.bias, other.bias));
}

TEST_F(Checkpoints, LeftOversGoAway) {
  FakeRun run;
  fs::create_directories(folder + "/step-000007.unfinished-0123abcd");
  std::ofstream(folder + "/step-000007.unfinished-0123abcd/weights.safetensors") << "half";
  std::ofstream(folder + "/notes.unfinished-0123abcd") << "the user's";
  ASSERT_TRUE(run.save(folder).ok());
  EXPECT_EQ(names(), (std::vector<std::string>{"notes.unfinished-0123abcd", "step-000120"}));
  // That of a process that works on it stays.
  std::string busy = folder + "/step-000008.unfinished-0123abcd";
  fs::create_directories(busy);
  int fd = open(busy.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  EXPECT_EQ(listCheckpoints(folder), std::vector<int64_t>{120});
  EXPECT_TRUE(fs::exists(busy));
  close(fd);
  EXPECT_EQ(listCheckpoints(folder), std::vector<int64_t>{120});
  EXPECT_FALSE(fs::exists(busy));
}

TEST_F(Checkpoints, OtherModelsAreNamed) {
  FakeRun run;
  std::string path = *run.save(folder);
  auto refused = [&](FakeRun other, const char *says) {
    FakeRun before = other;
    absl::Status status = other.load(path).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_SAYS(status, says);
    EXPECT_SAYS(status, path);
    EXPECT_TRUE(sameBits(other.bias, before.bias)) << "nothing is filled";
  };
  FakeRun other(9);
  other.identity.parameters[1].name = "kernel";
  refused(other, "is a checkpoint of another model: parameter 1 is \"weight\" there and \"kernel\" here");
  other = FakeRun(9);
  other.identity.parameters[1].type.shape = {3, 2};
  refused(other, "parameter \"weight\" is float32[2,3] there and float32[3,2] here");
  other = FakeRun(9);
  other.identity.parameters[1].type.dtype = ElementType::Float16;
  refused(other, "parameter \"weight\" is float32[2,3] there and float16[2,3] here");
  other = FakeRun(9);
  other.identity.parameters.pop_back();
  refused(other, "the number of parameters is 2 there and 1 here");
  other = FakeRun(9);
  other.identity.training = "x";
  refused(
      other,
      "the training record (loss, target, weights, alpha of adapters) is 00112233445566778899aabbccddeeff there and x");
  other = FakeRun(9);
  other.identity.graph = {"rope_theta 5000"};
  refused(other, "what the model computes has nothing in its place there and \"rope_theta 5000\" here");
}

TEST_F(Checkpoints, OtherArraysAreNamed) {
  FakeRun run;
  std::string path = *run.save(folder);
  auto errorOf = [&](std::vector<RunArray> arrays) { return loadCheckpoint(path, run.identity, arrays).status(); };
  std::vector<RunArray> arrays = run.arrays();
  arrays[3].moment = "third";
  EXPECT_SAYS(errorOf(arrays), "has no array \"third.weight\", which this run has; go on with the same optimizer");
  arrays = run.arrays();
  arrays.pop_back();
  EXPECT_SAYS(errorOf(arrays), "has array \"second.weight\", which this run does not have; go on with the same");
  arrays.resize(2);
  EXPECT_SAYS(errorOf(arrays), "has array \"first.weight\"");
  arrays[0].shape = {1, 3};
  EXPECT_SAYS(errorOf(arrays), "array \"bias\" is float32[3], this run's is float32[1,3]");
  // Without moments there is no file of them.
  FakeRun sgd;
  std::vector<RunArray> weights = sgd.arrays();
  weights.resize(2);
  sgd.state.step = 1;
  path = *saveCheckpoint(folder, sgd.state, sgd.identity, weights, 0);
  EXPECT_TRUE(loadCheckpoint(path, sgd.identity, weights).ok());
  EXPECT_SAYS(errorOf(sgd.arrays()), "has no array \"first.weight\"");
}

TEST_F(Checkpoints, OtherRunsAreNamed) {
  FakeRun run;
  auto says = [&](const std::function<void(RunState &)> &change) {
    RunState other = run.state;
    change(other);
    return difference(run.state, other);
  };
  EXPECT_EQ(says([](RunState &s) { s.optimizer = "sgd"; }), "optimizer is \"adamw\" there and \"sgd\" here");
  EXPECT_EQ(says([](RunState &s) { s.hyperParameters["rate"] = 0.25; }), "rate is 0.1 there and 0.25 here");
  EXPECT_EQ(says([](RunState &s) { s.hyperParameters.erase("rate"); }), "rate is 0.1 there and not set here");
  EXPECT_EQ(says([](RunState &s) { s.hyperParameters["beta1"] = 1; }), "beta1 is not set there and 1.0 here");
  EXPECT_EQ(says([](RunState &s) { s.settings["schedule"] = "linear"; }),
            "schedule is \"cosine\" there and \"linear\" here");
  EXPECT_EQ(says([](RunState &s) { s.seed = 1; }), "seed is 18446744073709551615 there and 1 here");
  EXPECT_EQ(says([](RunState &s) { s.data = "d"; }), "the data's hash is \"hash\" there and \"d\" here");
  EXPECT_EQ(says([](RunState &s) { s.step = 1; }), "");
}

TEST_F(Checkpoints, DamageIsFound) {
  FakeRun run;
  run.state.step = 60;
  ASSERT_TRUE(run.save(folder).ok());
  run.state.step = 120;
  std::string path = *run.save(folder);
  auto content = [&](const char *name) {
    std::ifstream file(path + "/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  for (const char *name : {kWeightsFile, kMomentsFile}) {
    std::string good = content(name);
    std::string flipped = good;
    flipped.back() ^= 1;
    for (const std::string &bad : {flipped, good.substr(0, good.size() - 1), std::string()}) {
      std::ofstream(path + "/" + name, std::ios::binary) << bad;
      FakeRun other(9);
      absl::Status status = other.load(path).status();
      EXPECT_TRUE(absl::IsDataLoss(status)) << status;
      EXPECT_SAYS(status, name);
      EXPECT_SAYS(status, "the checkpoint is damaged; an older one is " + folder + "/step-000060");
      EXPECT_TRUE(sameBits(other.bias, FakeRun(9).bias));
    }
    fs::remove(path + "/" + name);
    EXPECT_SAYS(run.load(path).status(), "is missing, the checkpoint is damaged");
    std::ofstream(path + "/" + name, std::ios::binary) << good;
    EXPECT_TRUE(run.load(path).ok());
  }
  std::string state = content(kStateFile);
  auto refused = [&](std::string from, const std::string &to, const char *says) {
    std::string bad = state;
    ASSERT_NE(bad.find(from), std::string::npos) << from;
    bad.replace(bad.find(from), from.size(), to);
    std::ofstream(path + "/" + kStateFile) << bad;
    absl::Status status = run.load(path).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_SAYS(status, says);
    EXPECT_SAYS(status, "state.json: ");
  };
  refused(state, "", "is no JSON object; it is no state of a checkpoint, or is damaged");
  refused(state.substr(state.size() / 2), "", "is no JSON object");
  refused("\"version\": 2", "\"version\": 1", "version: is 1, this runtime reads 2; go on with the version");
  refused("\"version\": 2", "\"versio\": 2", "version: is missing");
  refused("\"step\": 120", "\"step\": -1", "step: is -1, expected a whole number");
  refused("\"step\": 120", "\"step\": 1.5", "step: is 1.5, expected a whole number");
  refused("\"step\": 120", "\"step\": 18446744073709551615", "step: is 18446744073709551615, limit");
  refused("\"rate\": 0.1", "\"rate\": \"0.1\"", "hyper_parameters.rate: is string, expected a number");
  refused("\"seed\"", "\"sead\"", "data.seed: is missing");
  refused("\"float32\"", "\"float31\"", "identity.parameters[0].dtype: \"float31\" is no type");
  refused("\"last\": 0.6", "\"last\": [[[[[[[[0]]]]]]]], \"x\": 0.6", "is nested deeper");
  std::ofstream(path + "/" + kStateFile) << state;
  EXPECT_TRUE(run.load(path).ok());
}

TEST_F(Checkpoints, WhatIsNotThereIsNamed) {
  EXPECT_TRUE(absl::IsNotFound(findCheckpoint(folder).status()));
  EXPECT_SAYS(findCheckpoint(folder).status(), "has no checkpoint; expected a folder of a run");
  EXPECT_EQ(listCheckpoints(folder), std::vector<int64_t>());
  std::ofstream(temporary.path("file")) << "x";
  FakeRun run;
  absl::Status status = run.save(temporary.path("file")).status();
  EXPECT_SAYS(status, "cannot create folder");
  EXPECT_SAYS(run.load(folder + "/step-000001").status(), "step-000001");
}

// A process that is killed at any moment leaves only whole checkpoints, and the next one tidies up.
TEST_F(Checkpoints, SurviveKills) {
  int64_t last = 0;
  for (int round = 0; round < 30; ++round) {
    pid_t child = fork();
    if (child == 0) {
      FakeRun run;
      for (int64_t step = last + 1;; ++step) {
        run.state.step = step;
        std::fill(run.bias.begin(), run.bias.end(), static_cast<float>(step));
        if (!run.save(folder, 2).ok())
          _exit(1);
      }
    }
    ASSERT_GT(child, 0);
    usleep(static_cast<useconds_t>(3000 + 1700 * round));
    kill(child, SIGKILL);
    int code = 0;
    waitpid(child, &code, 0);
    ASSERT_TRUE(WIFSIGNALED(code)) << "saving has failed";
    auto path = findCheckpoint(folder);
    if (absl::IsNotFound(path.status()) && last == 0)
      continue;
    ASSERT_TRUE(path.ok()) << path.status();
    FakeRun run;
    auto state = run.load(*path);
    ASSERT_TRUE(state.ok()) << state.status();
    EXPECT_GE(state->step, last);
    last = state->step;
    EXPECT_EQ(run.bias[0], static_cast<float>(last));
    for (const std::string &name : names())
      EXPECT_EQ(name.find("unfinished"), std::string::npos) << name;
  }
  EXPECT_GT(last, 0);
  FakeRun run;
  run.state.step = last + 1;
  ASSERT_TRUE(run.save(folder, 2).ok());
  EXPECT_EQ(names().size(), 2u);
}

} // namespace
