//===- train_faults_test.cpp - When the system refuses to train -----------===//
//
// A trainer is made, trains, evaluates and goes, while one call after the other
// fails: each time that is an error or the right values, nothing is left behind,
// and a trainer that could be made goes on where it was.
//
//===----------------------------------------------------------------------===//

#include "ane/runtime/train.h"
#include "runtime/test/faults/faults.h"
#include "runtime/test/train/training_bundle.h"

#include "absl/status/status.h"
#include <array>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>

using namespace ane::rt::test;

namespace {

struct Weights {
  std::array<float, TrainingBundle::kColumns> w;
  std::array<float, TrainingBundle::kTable> table;
  bool operator==(const Weights &other) const { return w == other.w && table == other.table; }
};

int64_t openFiles() {
  std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

/// Tries again once what fails. What it gives back is that of the first try.
template <typename Call>
ane_code again(const Call &call, bool &explained) {
  ane_status *status = call();
  ane_code code = ane_status_code(status);
  explained &= code == ANE_OK || *ane_status_message(status) != '\0';
  ane_status_free(status);
  if (code != ANE_OK) {
    status = call();
    explained &= status == nullptr;
    ane_status_free(status);
  }
  return code;
}

struct Attempt {
  bool failed = false, explained = true;
  std::optional<Weights> weights; ///< after three steps
};

/// Trains three steps of two micro-batches. A step of which a half fails begins anew.
Attempt attempt(const std::string &path) {
  ane_trainer_options options = ANE_TRAINER_OPTIONS_INIT;
  options.device = "cpu";
  options.threads = 2;
  options.accumulate = 2;
  options.verify = 1;
  ane_context *context = nullptr;
  ane_trainer *trainer = nullptr;
  Attempt result;
  ane_status *status = ane_context_create(nullptr, &context);
  options.context = context;
  if (!status)
    status = ane_trainer_create(path.c_str(), &options, &trainer);
  result.failed = ane_status_code(status) != ANE_OK;
  result.explained = !result.failed || *ane_status_message(status) != '\0';
  ane_status_free(status);
  for (int step = 0; trainer && step < 3; ++step) {
    auto feed = [&](int part) {
      auto x = TrainingBundle::x(2 * step + part);
      auto y = TrainingBundle::y(2 * step + part);
      auto set = [&] {
        ane_status *failed = ane_trainer_set_input(trainer, 0, x.data(), sizeof x);
        return failed ? failed : ane_trainer_set_input(trainer, 1, y.data(), sizeof y);
      };
      result.failed |= again(set, result.explained) != ANE_OK;
    };
    ane_train_counters counters = ANE_TRAIN_COUNTERS_INIT;
    do {
      feed(static_cast<int>(counters.micro_batches));
      ane_status *failed = ane_trainer_backward(trainer, nullptr);
      result.failed |= failed != nullptr;
      ane_status_free(failed);
      result.failed |= again([&] { return ane_trainer_counters(trainer, &counters); }, result.explained) != ANE_OK;
    } while (counters.micro_batches < 2);
    float loss = 0;
    result.failed |= again([&] { return ane_trainer_evaluate(trainer, &loss); }, result.explained) != ANE_OK;
    result.failed |= again([&] { return ane_trainer_update(trainer, nullptr); }, result.explained) != ANE_OK;
  }
  if (trainer) {
    result.weights.emplace();
    ane_status_free(ane_trainer_read_parameter(trainer, "w", result.weights->w.data(), sizeof result.weights->w));
    ane_status_free(
        ane_trainer_read_parameter(trainer, "table", result.weights->table.data(), sizeof result.weights->table));
  }
  ane_trainer_destroy(trainer);
  ane_context_destroy(context);
  return result;
}

class TrainFaults : public testing::TestWithParam<std::pair<const char *, Fault>> {
protected:
  void check();
  TrainingBundle files{ANE_TEST_TRAINING_LIBRARY};
};

TEST_P(TrainFaults, AreErrors) { check(); }

// Of which a parameter is a weight.
TEST_P(TrainFaults, AreErrorsOfBakedBundles) {
  files.bakeTable();
  files.write();
  check();
}

void TrainFaults::check() {
  const Attempt right = attempt(files.dir());
  ASSERT_TRUE(right.weights && !right.failed);
  absl::ErrnoToStatus(ENOENT, "").IgnoreError();
  const int64_t before = liveObjects(), filesBefore = openFiles();
  int happened = 0;
  // There are thousands of allocations, which the updates of the first step are among.
  const int stride = GetParam().second == Fault::New ? 2 : 1;
  for (int n = 1;; n += stride) {
    failCall(GetParam().second, n);
    Attempt result = attempt(files.dir());
    if (!stopFailing())
      break;
    ++happened;
    ASSERT_TRUE(result.explained) << "call " << n;
    if (result.weights)
      ASSERT_TRUE(*result.weights == *right.weights) << "call " << n;
    else
      ASSERT_TRUE(result.failed) << "call " << n;
    ASSERT_EQ(liveObjects(), before) << "call " << n;
    ASSERT_EQ(openFiles(), filesBefore) << "call " << n;
  }
  EXPECT_GT(happened, 0) << "nothing was made to fail";
}

INSTANTIATE_TEST_SUITE_P(, TrainFaults,
                         testing::Values(std::pair("New", Fault::New), std::pair("Buffer", Fault::Buffer),
                                         std::pair("Thread", Fault::Thread), std::pair("Open", Fault::Open),
                                         std::pair("OpenAt", Fault::OpenAt), std::pair("Stat", Fault::Stat),
                                         std::pair("Map", Fault::Map), std::pair("Read", Fault::Read),
                                         std::pair("Library", Fault::Library)),
                         [](const auto &info) { return std::string(info.param.first); });

// Each step works in what there is.
TEST(Training, AllocatesNothing) {
  TrainingBundle files(ANE_TEST_TRAINING_LIBRARY);
  ane_trainer_options options = ANE_TRAINER_OPTIONS_INIT;
  options.device = "cpu";
  options.accumulate = 2;
  ane_trainer *trainer = nullptr;
  ASSERT_EQ(ane_trainer_create(files.dir().c_str(), &options, &trainer), nullptr);
  auto step = [&] {
    auto x = TrainingBundle::x(0);
    auto y = TrainingBundle::y(0);
    ane_train_step result = ANE_TRAIN_STEP_INIT;
    ane_status *status = ane_trainer_set_input(trainer, 0, x.data(), sizeof x);
    if (!status)
      status = ane_trainer_set_input(trainer, 1, y.data(), sizeof y);
    if (!status)
      status = ane_trainer_step(trainer, &result);
    EXPECT_EQ(status, nullptr) << ane_status_message(status);
  };
  for (int i = 0; i < 2; ++i)
    step();
  for (Fault fault : {Fault::New, Fault::Buffer, Fault::Map}) {
    failCall(fault, 1);
    for (int i = 0; i < 4; ++i)
      step();
    EXPECT_FALSE(stopFailing());
  }
  ane_trainer_destroy(trainer);
}

} // namespace
