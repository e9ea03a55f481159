// Training through train.h, as an application sees it.
#include "ane/runtime/train.h"
#include "runtime/test/api/expect_status.h"
#include "runtime/test/train/training_bundle.h"
#include <cmath>
#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <tuple>

using namespace ane::rt::test;

extern "C" int smokeTrainingLoss(const char *path, double *loss);

namespace {

class TrainApi : public testing::Test {
protected:
  void SetUp() override { options.device = "cpu"; }
  void TearDown() override { ane_trainer_destroy(trainer); }
  void make() { expectOk(ane_trainer_create(files.dir().c_str(), &options, &trainer)); }
  void feed(int i) {
    auto x = TrainingBundle::x(i);
    auto y = TrainingBundle::y(i);
    expectOk(ane_trainer_set_input(trainer, 0, x.data(), sizeof x));
    expectOk(ane_trainer_set_input(trainer, 1, y.data(), sizeof y));
  }
  ane_train_step step(int i) {
    feed(i);
    ane_train_step result = ANE_TRAIN_STEP_INIT;
    expectOk(ane_trainer_step(trainer, &result));
    return result;
  }

  TrainingBundle files{ANE_TEST_TRAINING_LIBRARY};
  ane_trainer_options options = ANE_TRAINER_OPTIONS_INIT;
  ane_trainer *trainer = nullptr;
};

TEST_F(TrainApi, TellsHowWeightsGetIntoPrograms) {
  options.device = "emulator";
  options.emulator_mode = "faithful:compilations=3";
  options.loss_scale = 1;
  make();
  EXPECT_STREQ(ane_trainer_weights_by(trainer), "inputs");
  ane_trainer_destroy(trainer);
  files.bakeTable();
  files.write();
  options.weights_by = "recompile";
  make();
  ASSERT_NE(trainer, nullptr);
  EXPECT_STREQ(ane_trainer_weights_by(trainer), "recompile");
  EXPECT_EQ(ane_trainer_event_count(trainer), 0u);
  // The probe, the program, and once other weights.
  for (int i = 0; i < 4; ++i)
    EXPECT_GT(step(i).staged_bytes, 0u);
  ASSERT_EQ(ane_trainer_event_count(trainer), 1u);
  EXPECT_NE(std::string(ane_trainer_event(trainer, 0)).find("its weights are set by donor"), std::string::npos);
  EXPECT_EQ(ane_trainer_event(trainer, 1), nullptr);
  ane_trainer_destroy(trainer);

  ane_options opened = ANE_OPTIONS_INIT;
  ane_bundle *bundle = nullptr;
  const char *way = nullptr;
  for (auto [device, mode, wanted, found] : {std::tuple("cpu", "", "donor", "memory"),
                                             {"emulator", "lint", nullptr, "patch"},
                                             {"emulator", "lint", "donor", "donor"}}) {
    opened.device = device;
    opened.emulator_mode = mode;
    opened.weights_by = wanted;
    expectOk(ane_bundle_open(files.dir().c_str(), &opened, &bundle));
    expectOk(ane_bundle_weights_by(bundle, &way));
    EXPECT_STREQ(way, found);
    ane_bundle_close(bundle);
  }
  opened.weights_by = "inputs";
  expectError(ane_bundle_open(files.dir().c_str(), &opened, &bundle), ANE_INVALID_ARGUMENT,
              "options: weights_by is \"inputs\", expected auto, patch, donor or recompile");
  options.weights_by = "inputs";
  expectError(ane_trainer_create(files.dir().c_str(), &options, &trainer), ANE_INVALID_ARGUMENT,
              "weights by inputs: the bundle has them in its programs");
  trainer = nullptr;
}

TEST_F(TrainApi, Trains) {
  make();
  ASSERT_NE(trainer, nullptr);
  EXPECT_STREQ(ane_trainer_device(trainer), "cpu");
  ASSERT_EQ(ane_trainer_input_count(trainer), 2u);
  ane_tensor_info info = ANE_TENSOR_INFO_INIT;
  expectOk(ane_trainer_input_info(trainer, 0, &info));
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(info.bytes, 48u);
  expectOk(ane_trainer_input_info(trainer, 1, &info));
  EXPECT_STREQ(info.name, "y"); // the target comes last
  ASSERT_EQ(ane_trainer_parameter_count(trainer), 3u);
  expectOk(ane_trainer_parameter_info(trainer, 2, &info));
  EXPECT_STREQ(info.name, "w");
  EXPECT_EQ(info.dtype, ANE_FLOAT32);
  ASSERT_EQ(info.rank, 2u);
  EXPECT_EQ(info.shape[0], 3);
  EXPECT_EQ(info.bytes, 12u);

  expectError(ane_trainer_step(trainer, nullptr), ANE_FAILED_PRECONDITION, "input x was not set");
  double last = std::numeric_limits<double>::infinity();
  for (int i = 1; i <= 10; ++i) {
    ane_train_step result = step(0);
    EXPECT_EQ(result.step, i);
    EXPECT_EQ(result.ended, 1);
    EXPECT_EQ(result.rate, 3e-4);
    EXPECT_EQ(result.skipped, nullptr);
    EXPECT_LT(result.loss, last);
    last = result.loss;
  }
  float loss = 0, w[3], gradient[3];
  expectOk(ane_trainer_evaluate(trainer, &loss));
  EXPECT_LT(loss, last);
  expectOk(ane_trainer_read_parameter(trainer, "w", w, sizeof w));
  EXPECT_NE(w[0], 1);
  expectOk(ane_trainer_read_gradient(trainer, "w", gradient, sizeof gradient));
  EXPECT_NE(gradient[0], 0);
  const float zero[3] = {};
  expectOk(ane_trainer_write_parameter(trainer, "w", zero, sizeof zero));
  expectOk(ane_trainer_read_parameter(trainer, "w", w, sizeof w));
  EXPECT_EQ(w[0], 0);
  ane_train_counters counters = ANE_TRAIN_COUNTERS_INIT;
  expectOk(ane_trainer_counters(trainer, &counters));
  EXPECT_EQ(counters.steps, 10);
  EXPECT_EQ(counters.updates, 10);
  EXPECT_EQ(counters.micro_batches, 0);
  EXPECT_EQ(counters.loss_scale, 1);
  EXPECT_EQ(counters.arena_bytes, 4u * 80 * 4); // four sweeps of those that decay, one of b

  double fromC = 0;
  EXPECT_EQ(smokeTrainingLoss(files.dir().c_str(), &fromC), 0);
  EXPECT_GT(fromC, 0);
}

TEST_F(TrainApi, TakesAllOptions) {
  const char *frozen[] = {"b"};
  options.optimizer = "adamw";
  options.learning_rate = 0.5;
  options.beta1 = ANE_TRAIN_ZERO;
  options.schedule = "linear";
  options.end_share = 0.5;
  options.warmup = 2;
  options.steps = 4;
  options.accumulate = 2;
  options.loss_scale = 1048576;
  options.dynamic_loss_scale = 1;
  options.frozen = frozen;
  options.frozen_count = 1;
  make();
  ASSERT_NE(trainer, nullptr);
  EXPECT_EQ(ane_trainer_parameter_frozen(trainer, 0), 1);
  EXPECT_EQ(ane_trainer_parameter_frozen(trainer, 1), 0);
  EXPECT_EQ(ane_trainer_parameter_frozen(trainer, 9), 0);
  ane_train_step result = step(0);
  EXPECT_EQ(result.ended, 0);
  EXPECT_EQ(result.step, 0);
  EXPECT_GT(result.loss, 0);
  result = step(1);
  EXPECT_EQ(result.ended, 1);
  EXPECT_EQ(result.rate, 0.25);
  ASSERT_NE(result.skipped, nullptr);
  EXPECT_STREQ(result.skipped,
               "the gradient of w is infinite at [0, 0], the first of 41 elements of 43, with loss scale 1048576");
  ane_train_counters counters = ANE_TRAIN_COUNTERS_INIT;
  expectOk(ane_trainer_counters(trainer, &counters));
  EXPECT_EQ(counters.skipped, 1);
  EXPECT_EQ(counters.loss_scale, 524288);
  float loss = 0;
  for (int i = 0; i < 5; ++i) {
    feed(i);
    expectOk(ane_trainer_backward(trainer, &loss));
    expectOk(ane_trainer_update(trainer, &result));
  }
  EXPECT_EQ(result.step, 6);
  EXPECT_EQ(result.rate, 0.25); // stays
  float value = 0;
  expectOk(ane_trainer_read_parameter(trainer, "b", &value, sizeof value));
  EXPECT_EQ(value, 0.5f);
  expectError(ane_trainer_read_gradient(trainer, "b", &value, sizeof value), ANE_FAILED_PRECONDITION, "b is frozen");
}

TEST_F(TrainApi, SavesAndGoesOn) {
  options.accumulate = 2;
  make();
  ane_trainer *whole = trainer;
  const std::string folder = files.path("run");
  for (int i = 0; i < 5; ++i)
    step(i);
  expectError(ane_trainer_save(trainer, folder.c_str(), 0), ANE_FAILED_PRECONDITION, "a step is under way");
  step(5);
  expectOk(ane_trainer_save(trainer, folder.c_str(), 1));
  make();
  ane_trainer *resumed = trainer;
  expectOk(ane_trainer_load(resumed, folder.c_str()));
  float values[2][3];
  for (ane_trainer *each : {whole, resumed}) {
    trainer = each;
    for (int i = 6; i < 12; ++i)
      step(i);
    ane_train_counters counters = ANE_TRAIN_COUNTERS_INIT;
    expectOk(ane_trainer_counters(trainer, &counters));
    EXPECT_EQ(counters.steps, 6);
    expectOk(ane_trainer_read_parameter(trainer, "w", values[each == whole], sizeof values[0]));
  }
  EXPECT_EQ(std::memcmp(values[0], values[1], sizeof values[0]), 0);
  expectError(ane_trainer_load(resumed, files.path("none").c_str()), ANE_NOT_FOUND, "has no checkpoint");
  ane_trainer_destroy(whole);
  options.optimizer = "sgd";
  ane_trainer_destroy(resumed);
  trainer = nullptr;
  make();
  expectError(ane_trainer_load(trainer, folder.c_str()), ANE_FAILED_PRECONDITION,
              "optimizer is \"adamw\" there and \"sgd\" here");
  expectError(ane_trainer_load(trainer, nullptr), ANE_INVALID_ARGUMENT, "path is NULL");
  expectError(ane_trainer_save(trainer, nullptr, 0), ANE_INVALID_ARGUMENT, "folder is NULL");
  expectError(ane_trainer_save(nullptr, "x", 0), ANE_INVALID_ARGUMENT, "trainer is NULL");
  expectError(ane_trainer_load(nullptr, "x"), ANE_INVALID_ARGUMENT, "trainer is NULL");
}

TEST_F(TrainApi, RefusesWrongArguments) {
  auto refuses = [&](ane_code code, const char *words) {
    expectError(ane_trainer_create(files.dir().c_str(), &options, &trainer), code, words);
    EXPECT_EQ(trainer, nullptr);
    options = ANE_TRAINER_OPTIONS_INIT;
    options.device = "cpu";
  };
  options.size = 4;
  refuses(ANE_INVALID_ARGUMENT, "options: size is 4");
  options.optimizer = "adam";
  refuses(ANE_INVALID_ARGUMENT, "optimizer is \"adam\"");
  options.schedule = "exponential";
  refuses(ANE_INVALID_ARGUMENT, "schedule is \"exponential\"");
  options.learning_rate = std::nan("");
  refuses(ANE_INVALID_ARGUMENT, "learning rate is nan");
  options.loss_scale = -2;
  refuses(ANE_INVALID_ARGUMENT, "loss scale: is -2");
  options.accumulate = -1;
  refuses(ANE_INVALID_ARGUMENT, "accumulates -1");
  options.frozen_count = 1;
  refuses(ANE_INVALID_ARGUMENT, "frozen is NULL");
  const char *none[] = {nullptr};
  options.frozen_count = 1;
  options.frozen = none;
  refuses(ANE_INVALID_ARGUMENT, "frozen[0] is NULL");
  options.device = "gpu";
  refuses(ANE_INVALID_ARGUMENT, "gpu");
  expectError(ane_trainer_create("/nonexistent", &options, &trainer), ANE_NOT_FOUND, "/nonexistent");
  expectError(ane_trainer_create(nullptr, &options, &trainer), ANE_INVALID_ARGUMENT, "path is NULL");
  expectError(ane_trainer_create("x", &options, nullptr), ANE_INVALID_ARGUMENT, "trainer is NULL");

  make();
  float value[3] = {};
  ane_tensor_info info = ANE_TENSOR_INFO_INIT;
  ane_train_step bad = ANE_TRAIN_STEP_INIT;
  bad.size = 3;
  feed(0);
  expectError(ane_trainer_step(trainer, &bad), ANE_INVALID_ARGUMENT, "step: size is 3");
  expectError(ane_trainer_update(trainer, &bad), ANE_INVALID_ARGUMENT, "step: size is 3");
  expectError(ane_trainer_update(trainer, nullptr), ANE_FAILED_PRECONDITION, "no gradients to update by");
  expectError(ane_trainer_input_info(trainer, 2, &info), ANE_INVALID_ARGUMENT, "input 2: the trainer has 2");
  expectError(ane_trainer_parameter_info(trainer, 3, &info), ANE_INVALID_ARGUMENT, "parameter 3: the trainer has 3");
  expectError(ane_trainer_set_input(trainer, 0, value, 12), ANE_INVALID_ARGUMENT, "has 12 bytes, expected 48");
  for (ane_trainer *given : {trainer, static_cast<ane_trainer *>(nullptr)}) {
    const char *missing = given ? "NULL" : "trainer is NULL";
    expectError(ane_trainer_input_info(given, 0, given ? nullptr : &info), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_trainer_parameter_info(given, 0, given ? nullptr : &info), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_trainer_set_input(given, 0, nullptr, 48), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_trainer_evaluate(given, nullptr), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_trainer_read_parameter(given, nullptr, value, 12), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_trainer_read_parameter(given, "w", nullptr, 12), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_trainer_write_parameter(given, "w", nullptr, 12), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_trainer_read_gradient(given, "w", nullptr, 12), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_trainer_counters(given, nullptr), ANE_INVALID_ARGUMENT, missing);
  }
  expectError(ane_trainer_step(nullptr, nullptr), ANE_INVALID_ARGUMENT, "trainer is NULL");
  expectError(ane_trainer_backward(nullptr, nullptr), ANE_INVALID_ARGUMENT, "trainer is NULL");
  expectError(ane_trainer_update(nullptr, nullptr), ANE_INVALID_ARGUMENT, "trainer is NULL");
  EXPECT_EQ(ane_trainer_input_count(nullptr), 0u);
  EXPECT_EQ(ane_trainer_parameter_count(nullptr), 0u);
  EXPECT_EQ(ane_trainer_parameter_frozen(nullptr, 0), 0);
  EXPECT_EQ(ane_trainer_device(nullptr), nullptr);
  ane_trainer_destroy(nullptr);
}

} // namespace
