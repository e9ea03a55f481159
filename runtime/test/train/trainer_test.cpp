// Training of a bundle with CPU code by hand, beside the same in double.
#include "runtime/test/train/training_bundle.h"
#include "runtime/train/plan.h"
#include "runtime/train/trainer.h"
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>

using namespace ane::rt;
using namespace ane::rt::test;
using namespace ane::rt::train;

namespace {

constexpr int kRows = TrainingBundle::kRows, kColumns = TrainingBundle::kColumns, kTable = TrainingBundle::kTable;

bool says(const absl::Status &status, const std::string &words) {
  return status.message().find(words) != std::string::npos;
}

TrainerOptions optionsFor(const std::string &kind) {
  TrainerOptions options;
  options.device.device = "cpu";
  options.optimizer.kind = kind;
  options.schedule.rate = 0.01;
  return options;
}

/// b, table and w one behind the other, in double.
struct Reference {
  std::vector<double> values, gradients, first, second;
  explicit Reference() : values(1 + kTable + kColumns), gradients(values), first(values), second(values) {
    values = {0.5};
    values.resize(1 + kTable);
    values.insert(values.end(), {1, -1, 0.25});
  }
  static bool decays(size_t i) { return i != 0; }

  /// Adds gradients to `gradients`.
  double backward(const TrainingBundle::X &x, const TrainingBundle::Y &y) {
    double loss = 0;
    const double *w = &values[1 + kTable];
    for (int i = 0; i < kRows; ++i) {
      double missing = values[0] - y[i];
      for (int j = 0; j < kColumns; ++j)
        missing += x[i * kColumns + j] * w[j];
      loss += missing * missing / kRows;
      gradients[0] += 2 * missing / kRows;
      for (int j = 0; j < kColumns; ++j)
        gradients[1 + kTable + j] += 2 * missing / kRows * x[i * kColumns + j];
    }
    for (int i = 0; i < kTable; ++i) {
      double missing = values[1 + i] - i;
      loss += missing * missing / kTable;
      gradients[1 + i] += 2 * missing / kTable;
    }
    return loss;
  }

  double norm() const {
    double sum = 0;
    for (double g : gradients)
      sum += g * g;
    return std::sqrt(sum);
  }

  void update(const std::string &kind, double rate, double decay, double scale, int t) {
    for (size_t i = 0; i < values.size(); ++i) {
      double g = gradients[i] * scale, &w = values[i], &m = first[i], &v = second[i];
      const double d = decays(i) ? decay : 0;
      if (kind == "adamw") {
        w *= 1 - rate * d;
        m = 0.9 * m + 0.1 * g;
        v = 0.999 * v + 0.001 * g * g;
        w -= rate * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
      } else if (kind == "sgd") {
        m = 0.9 * m + g + d * w;
        w -= rate * m;
      } else {
        const double c = 0.9 * m + 0.1 * g;
        w *= 1 - rate * d;
        w -= rate * ((c > 0) - (c < 0));
        m = 0.99 * m + 0.01 * g;
      }
    }
    gradients.assign(gradients.size(), 0);
  }
};

class Training : public testing::Test {
protected:
  std::unique_ptr<Trainer> make(const TrainerOptions &options) {
    auto trainer = Trainer::create(files.dir(), options);
    EXPECT_TRUE(trainer.ok()) << trainer.status();
    return trainer.ok() ? *std::move(trainer) : nullptr;
  }
  absl::Status refusal(const TrainerOptions &options) { return Trainer::create(files.dir(), options).status(); }

  static void feed(Trainer &trainer, int i) {
    auto x = TrainingBundle::x(i);
    auto y = TrainingBundle::y(i);
    ASSERT_TRUE(trainer.setInput(0, x.data(), sizeof x).ok());
    ASSERT_TRUE(trainer.setInput(1, y.data(), sizeof y).ok());
  }
  /// A step of one micro-batch.
  static StepReport step(Trainer &trainer, int i) {
    feed(trainer, i);
    auto loss = trainer.backward();
    EXPECT_TRUE(loss.ok()) << loss.status();
    auto report = trainer.update();
    EXPECT_TRUE(report.ok()) << report.status();
    return report.value_or(StepReport{});
  }
  static std::vector<float> read(const Trainer &trainer, const std::string &name) {
    std::vector<float> values(static_cast<size_t>(trainer.parameters().find(name)->elements));
    EXPECT_TRUE(trainer.readParameter(name, values.data(), static_cast<int64_t>(values.size() * sizeof(float))).ok());
    return values;
  }
  static std::vector<float> all(const Trainer &trainer) {
    std::vector<float> values;
    for (const char *name : {"b", "table", "w"}) {
      auto part = read(trainer, name);
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  }
  static void expectNear(const std::vector<float> &values, const std::vector<double> &want, double tolerance) {
    ASSERT_EQ(values.size(), want.size());
    double largest = 0;
    for (double value : want)
      largest = std::max(largest, std::abs(value));
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(values[i], want[i], tolerance * largest) << i;
  }

  TrainingBundle files{ANE_TEST_TRAINING_LIBRARY};
};

class Optimizers : public Training, public testing::WithParamInterface<const char *> {};

TEST_P(Optimizers, FollowTheReference) {
  TrainerOptions options = optionsFor(GetParam());
  options.optimizer.decay = 0.1;
  if (options.optimizer.kind == "sgd")
    options.optimizer.momentum = 0.9;
  options.schedule = {Schedule::Kind::Cosine, 0.02, 0.1, 5, 40};
  options.clip = 7.25;
  auto trainer = make(options);
  ASSERT_TRUE(trainer);
  EXPECT_EQ(trainer->device(), "cpu");
  Reference want;
  int clipped = 0;
  for (int i = 0; i < 40; ++i) {
    StepReport report = step(*trainer, i);
    double loss = want.backward(TrainingBundle::x(i), TrainingBundle::y(i)), norm = want.norm();
    EXPECT_EQ(report.step, i + 1);
    EXPECT_NEAR(report.loss, loss, 2e-5 * loss);
    EXPECT_NEAR(report.norm, norm, 2e-5 * norm);
    EXPECT_EQ(report.rate, options.schedule.at(i));
    EXPECT_EQ(report.skipped, "");
    EXPECT_EQ(report.work.evaluations, 0u);
    clipped += norm > options.clip;
    want.update(options.optimizer.kind, report.rate, 0.1, std::min(1.0, options.clip / norm), i + 1);
  }
  EXPECT_GT(clipped, 0);
  EXPECT_LT(clipped, 40);
  expectNear(all(*trainer), want.values, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(, Optimizers, testing::Values("adamw", "sgd", "lion"),
                         [](const auto &info) { return std::string(info.param); });

TEST_F(Training, AveragesMicroBatches) {
  TrainerOptions options = optionsFor("sgd");
  options.accumulate = 3;
  options.lossScale = LossScale::Options{false, 32};
  auto trainer = make(options);
  ASSERT_TRUE(trainer);
  Reference want;
  for (int i = 0; i < 5; ++i) {
    double loss = 0;
    for (int part = 0; part < 3; ++part) {
      feed(*trainer, 3 * i + part);
      ASSERT_TRUE(trainer->backward().ok());
      loss += want.backward(TrainingBundle::x(3 * i + part), TrainingBundle::y(3 * i + part)) / 3;
      EXPECT_EQ(trainer->accumulated(), part + 1);
    }
    float gradient[kColumns];
    ASSERT_TRUE(trainer->readGradient("w", gradient, sizeof gradient).ok());
    for (int j = 0; j < kColumns; ++j)
      EXPECT_NEAR(gradient[j], want.gradients[1 + kTable + j] / 3, 1e-6);
    auto report = trainer->update();
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_NEAR(report->loss, loss, 1e-6 * loss);
    EXPECT_NEAR(report->norm, want.norm() / 3, 1e-6 * want.norm());
    // Momentum is none.
    want.first.assign(want.first.size(), 0);
    want.update("sgd", 0.01, 0, 1.0 / 3, i + 1);
  }
  expectNear(all(*trainer), want.values, 1e-6);
  // A step may be short.
  feed(*trainer, 0);
  ASSERT_TRUE(trainer->backward().ok());
  EXPECT_EQ(trainer->save(files.path("run"), {}, 0).status().message(),
            "a step is under way: end it by an update first");
  EXPECT_TRUE(trainer->update().ok());
  EXPECT_EQ(trainer->update().status().message(), "there are no gradients to update by: compute some first");
}

TEST_F(Training, SkipsStepsThatDoNotFit) {
  TrainerOptions options = optionsFor("adamw");
  options.lossScale = LossScale::Options{true, 131072, 4, 1, 1e6};
  auto trainer = make(options), plain = make(optionsFor("adamw"));
  ASSERT_TRUE(trainer && plain);
  const std::vector<float> before = all(*trainer);
  // Element i of the table has a gradient of -i / 20.
  StepReport report = step(*trainer, 0);
  EXPECT_EQ(report.step, 1);
  EXPECT_EQ(report.lossScale, 131072);
  EXPECT_EQ(report.skipped,
            "the gradient of w is infinite at [0, 0], the first of 32 elements of 44, with loss scale 131072");
  EXPECT_EQ(all(*trainer), before);
  EXPECT_EQ(step(*trainer, 0).skipped,
            "the gradient of w is infinite at [0, 0], the first of 22 elements of 44, with loss scale 65536");
  EXPECT_EQ(trainer->state().skippedSteps, 2);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(step(*trainer, 0).skipped, "");
    step(*plain, 0);
  }
  EXPECT_EQ(trainer->state().step, 6);
  EXPECT_EQ(trainer->state().updates, 4);
  EXPECT_EQ(trainer->state().lossScale, 65536); // doubled
  // A power of two changes no bit.
  EXPECT_EQ(all(*trainer), all(*plain));
}

// An element of the table does not fit in the program's surface.
TEST_F(Training, ClampsWhatFp16DoesNotHold) {
  files.useProgram();
  files.write();
  TrainerOptions options = optionsFor("sgd");
  options.device.device = "emulator";
  options.device.emulatorMode = "plain";
  options.lossScale = LossScale::Options{true, 8, 4, 1, 8};
  for (bool clamps : {false, true}) {
    options.device.clampsFp16 = clamps;
    auto trainer = make(options);
    ASSERT_TRUE(trainer);
    std::vector<float> table = read(*trainer, "table");
    table[3] = -70000;
    ASSERT_TRUE(trainer->writeParameter("table", table.data(), kTable * 4).ok());
    StepReport report = step(*trainer, 0);
    EXPECT_EQ(report.work.clamped, clamps ? 1u : 0u);
    EXPECT_EQ(report.skipped.empty(), clamps);
    EXPECT_EQ(trainer->state().updates, clamps ? 1 : 0);
    EXPECT_EQ(trainer->state().lossScale, 4);
    EXPECT_EQ(trainer->state().skippedSteps, clamps ? 0 : 1);
    if (clamps) // by 0.01 times -65,507 / 20
      EXPECT_NEAR(read(*trainer, "table")[3], -70000 + 0.01 * 65507 / 20, 0.01);
  }
  auto trainer = make(options);
  step(*trainer, 0);
  ASSERT_TRUE(trainer->save(files.path("run"), {}, 0).ok());
  options.lossScale = LossScale::Options{true, 65536};
  EXPECT_EQ(make(options)->state().lossScale, 32768); // itself in fp16
  options.lossScale.reset();
  options.device.clampsFp16 = false;
  absl::Status status = make(options)->load(files.path("run"), {}).status();
  EXPECT_TRUE(says(status, "fp16 is \"clamped\" there and not set here")) << status;
}

TEST_F(Training, NamesWhatIsNotFinite) {
  auto trainer = make(optionsFor("adamw"));
  ASSERT_TRUE(trainer);
  step(*trainer, 0);
  const std::vector<float> before = all(*trainer);
  auto x = TrainingBundle::x(1);
  x[1] = std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(trainer->setInput(0, x.data(), sizeof x).ok());
  ASSERT_TRUE(trainer->backward().ok());
  absl::Status status = trainer->update().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(says(status,
                   "step 2: the loss is NaN, and the gradient of w is NaN at [0, 0], the first of 4 elements of "
                   "44, with loss scale 1; weights are those before it"))
      << status;
  EXPECT_EQ(all(*trainer), before);
  // The next step is as if nothing had been.
  EXPECT_EQ(step(*trainer, 1).step, 2);
}

TEST_F(Training, KeepsFrozenParameters) {
  TrainerOptions options = optionsFor("adamw");
  options.frozen = {"t*"};
  auto trainer = make(options);
  ASSERT_TRUE(trainer);
  EXPECT_TRUE(trainer->parameters().find("table")->frozen);
  for (int i = 0; i < 5; ++i)
    step(*trainer, i);
  EXPECT_EQ(read(*trainer, "table"), std::vector<float>(kTable));
  EXPECT_NE(read(*trainer, "b"), std::vector<float>{0.5f});
  float gradient[kTable];
  EXPECT_TRUE(says(trainer->readGradient("table", gradient, sizeof gradient), "table is frozen"));
  // What is written there counts all the same.
  const float loss = *trainer->evaluate();
  std::vector<float> table(kTable, 1);
  ASSERT_TRUE(trainer->writeParameter("table", table.data(), sizeof(float) * kTable).ok());
  EXPECT_LT(*trainer->evaluate(), loss);
  EXPECT_EQ(*trainer->backward(), *trainer->evaluate());
  options.frozen = {"head"};
  EXPECT_TRUE(says(refusal(options), "no parameter to freeze matches \"head\""));
}

TEST_F(Training, EvaluatesWithTheWeightsOfNow) {
  auto trainer = make(optionsFor("adamw"));
  ASSERT_TRUE(trainer);
  EXPECT_TRUE(says(trainer->evaluate().status(), "input x was not set"));
  for (int i = 0; i < 3; ++i) {
    feed(*trainer, i);
    const float loss = *trainer->evaluate();
    EXPECT_EQ(*trainer->backward(), loss);
    ASSERT_TRUE(trainer->update().ok());
    EXPECT_LT(*trainer->evaluate(), loss);
  }
  files.content.training->evaluate = "";
  files.write();
  trainer = make(optionsFor("adamw"));
  feed(*trainer, 0);
  EXPECT_EQ(trainer->evaluate().status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(Training, GoesOnWhereItWas) {
  TrainerOptions options = optionsFor("adamw");
  options.lossScale = LossScale::Options{true, 65536, 4, 1, 1e6};
  options.schedule = {Schedule::Kind::Linear, 0.01, 0, 3, 20};
  auto whole = make(options), first = make(options), second = make(options);
  ASSERT_TRUE(whole && first && second);
  for (int i = 0; i < 20; ++i)
    step(*whole, i);
  for (int i = 0; i < 9; ++i)
    step(*first, i);
  RunState mine;
  mine.seed = 5;
  mine.data = "these";
  auto saved = first->save(files.path("run"), mine, 2);
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_EQ(*saved, files.path("run/step-000009"));
  auto state = second->load(files.path("run"), mine);
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->step, 9);
  EXPECT_EQ(state->device, "cpu");
  EXPECT_FALSE(state->host.empty());
  for (int i = 9; i < 20; ++i)
    step(*second, i);
  EXPECT_EQ(all(*second), all(*whole));
  EXPECT_EQ(second->state().lossScale, whole->state().lossScale);

  // Of another run; nothing changes.
  auto refuses = [&](TrainerOptions other, const std::string &words) {
    auto trainer = make(other);
    const std::vector<float> before = all(*trainer);
    absl::Status status = trainer->load(*saved, mine).status();
    EXPECT_TRUE(says(status, words)) << status;
    EXPECT_EQ(all(*trainer), before);
    EXPECT_EQ(trainer->state().step, 0);
  };
  refuses(optionsFor("lion"), "step-000009: a run can't go on as another one: optimizer is \"adamw\" there");
  TrainerOptions other = options;
  other.schedule.rate = 0.02;
  refuses(other, "rate is 0.01 there and 0.02 here");
  other = options;
  other.schedule.kind = Schedule::Kind::Constant;
  refuses(other, "end");
  other = options;
  other.frozen = {"b"};
  refuses(other, "b");
  mine.seed = 6;
  refuses(options, "seed is 5 there and 6 here");
  mine.seed = 5;
  EXPECT_EQ(make(options)->load(files.path("none"), mine).status().code(), absl::StatusCode::kNotFound);
}

// Whose bits may be other ones.
TEST_F(Training, ChangesDevicesUnlessDeterministic) {
  files.useProgram();
  files.write();
  TrainerOptions options = optionsFor("sgd");
  auto first = make(options);
  ASSERT_TRUE(first);
  step(*first, 0);
  ASSERT_TRUE(first->save(files.path("run"), {}, 0).ok());
  options.device.device = "emulator";
  options.device.emulatorMode = "plain";
  auto second = make(options);
  ASSERT_TRUE(second);
  auto state = second->load(files.path("run"), {});
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(all(*second), all(*first));
  EXPECT_EQ(second->state().lossScale, 1); // as there
  options.deterministic = true;
  absl::Status status = make(options)->load(files.path("run"), {}).status();
  EXPECT_TRUE(says(status, "device is cpu there and emulator here")) << status;
}

TEST_F(Training, RefusesWhatDoesNotFit) {
  TrainerOptions options = optionsFor("adam");
  EXPECT_TRUE(says(refusal(options), "optimizer is \"adam\", expected one of adamw, lion, sgd"));
  options = optionsFor("adamw");
  options.optimizer.momentum = 0.9;
  EXPECT_TRUE(says(refusal(options), "optimizer adamw: has no momentum"));
  options = optionsFor("adamw");
  options.optimizer.beta2 = 1;
  EXPECT_TRUE(says(refusal(options), "beta2 is 1, expected 0 to less than 1"));
  options = optionsFor("adamw");
  options.optimizer.decay = -1;
  EXPECT_TRUE(says(refusal(options), "weight decay is -1"));
  options = optionsFor("adamw");
  options.clip = -1;
  EXPECT_TRUE(says(refusal(options), "clipped to norm -1"));
  options = optionsFor("adamw");
  options.accumulate = 0;
  EXPECT_TRUE(says(refusal(options), "accumulates 0 micro-batches"));
  options = optionsFor("adamw");
  options.device.device = "gpu";
  EXPECT_TRUE(says(refusal(options), "gpu"));
  EXPECT_EQ(Trainer::create(files.path("none"), optionsFor("adamw")).status().code(), absl::StatusCode::kNotFound);

  auto trainer = make(optionsFor("adamw"));
  float values[kTable] = {};
  EXPECT_TRUE(says(trainer->backward().status(), "input x was not set"));
  EXPECT_TRUE(says(trainer->setInput(0, values, 4), "input x: has 4 bytes, expected 48"));
  EXPECT_TRUE(says(trainer->setInput(2, values, 4), "input 2: a micro-batch has 2 inputs"));
  EXPECT_TRUE(
      says(trainer->readParameter("v", values, 4), "there is no parameter \"v\"; the bundle trains b, table, w"));
  EXPECT_TRUE(says(trainer->readParameter("w", values, 4), "parameter w: has 4 bytes, expected float32[3,1] of 12"));
  EXPECT_TRUE(says(trainer->readGradient("w", values, 12), "there are no gradients"));
  feed(*trainer, 0);
  ASSERT_TRUE(trainer->backward().ok());
  EXPECT_TRUE(says(trainer->backward().status(), "make the trainer with `accumulate` above 1"));
  EXPECT_TRUE(trainer->update().ok());
}

TEST_F(Training, RefusesWeightsThatDoNotFit) {
  const std::string data(176, '\0');
  files.writeWeights(R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                     R"("w":{"dtype":"F32","shape":[43],"data_offsets":[4,176]}})",
                     data);
  files.write();
  EXPECT_TRUE(says(refusal(optionsFor("adamw")), "weights.safetensors: has no tensor \"table\""));
  files.writeWeights(R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                     R"("table":{"dtype":"F32","shape":[8,5],"data_offsets":[4,164]},)"
                     R"("w":{"dtype":"F32","shape":[3,1],"data_offsets":[164,176]}})",
                     data);
  files.write();
  EXPECT_TRUE(says(refusal(optionsFor("adamw")), "tensor \"table\" is float32[8, 5], expected float32[5,8]"))
      << refusal(optionsFor("adamw"));
  files.content.training.reset();
  files.write();
  EXPECT_TRUE(says(refusal(optionsFor("adamw")), "is a bundle that runs, not one that trains"));
}

TEST_F(Training, SaysWhatItWillTake) {
  auto opened = openTraining(files.dir());
  ASSERT_TRUE(opened.ok()) << opened.status();
  TrainerOptions options = optionsFor("adamw");
  options.frozen = {"w"};
  options.accumulate = 2;
  auto plan = planTraining(opened->manifest, options, "cpu");
  ASSERT_TRUE(plan.ok());
  // The table fills three sweeps, b one.
  EXPECT_EQ(plan->weightBytes, (64 + 16) * 4);
  EXPECT_EQ(plan->gradientBytes, 2 * 64 * 4);
  EXPECT_EQ(plan->momentBytes, 2 * 64 * 4);
  EXPECT_EQ(plan->evaluations, 0);
  EXPECT_EQ(plan->stagedBytes, 0);
  auto trainer = make(options);
  EXPECT_EQ(trainer->arenaBytes(), plan->arenaBytes());
  EXPECT_EQ(plan->memoryText().find("bytes (320 bytes for weights, 512 bytes for gradients, 512 bytes for moments"), 5u)
      << plan->memoryText();
  opened->manifest.training->sweep = 24;
  EXPECT_TRUE(
      says(planTraining(opened->manifest, options, "cpu").status(), "have 24 elements, expected a multiple of 16"));
}

// In the order of the plan; of one step, the last names come first, by their numbers.
TEST_F(Training, KnowsInWhatOrderGradientsAreMade) {
  auto opened = openTraining(files.dir());
  ASSERT_TRUE(opened.ok()) << opened.status();
  manifest::Manifest &m = opened->manifest;
  auto order = [&] {
    auto plan = planTraining(m, optionsFor("adamw"), "cpu");
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::vector<std::string> names;
    for (size_t i : plan->gradientOrder)
      names.push_back(plan->parameters.all()[i].name);
    return names;
  };
  using Names = std::vector<std::string>;
  manifest::Function &step = m.functions[0];
  EXPECT_EQ(order(), (Names{"w", "table", "b"}));
  for (auto [place, name] : {std::pair(0, "layers.9.b"), {1, "layers.10.table"}, {2, "layers.10.w"}}) {
    m.training->parameters[place].name = step.inputs[3 + place].name = name;
    step.outputs[1 + place].name = std::string(manifest::kGradient) + name;
  }
  EXPECT_EQ(order(), (Names{"layers.10.w", "layers.10.table", "layers.9.b"}));
  // A step of its own, before all others.
  std::vector<int64_t> &outputs = step.steps[0].outputs;
  const int64_t table = step.outputs[2].tensor;
  outputs.erase(std::find(outputs.begin(), outputs.end(), table));
  manifest::Step first = step.steps[0];
  first.outputs = {table};
  step.steps.insert(step.steps.begin(), first);
  EXPECT_EQ(order(), (Names{"layers.10.table", "layers.10.w", "layers.9.b"}));
}

// Weights go into surfaces once a step, whatever number of micro-batches it has.
TEST_F(Training, StagesWeightsOnce) {
  files.useProgram();
  files.write();
  TrainerOptions options = optionsFor("adamw");
  options.device.device = "emulator";
  options.device.emulatorMode = "plain";
  options.accumulate = 3;
  EXPECT_EQ(make(options)->state().lossScale, 32768);
  options.lossScale = LossScale::Options{true, 65536}; // too much for the first step
  auto trainer = make(options);
  ASSERT_TRUE(trainer);
  auto opened = openTraining(files.dir());
  ASSERT_TRUE(opened.ok());
  auto plan = planTraining(opened->manifest, options, "emulator");
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->evaluations, 3);
  EXPECT_EQ(plan->stagedBytes, (1 + 3) * kTable * 4);
  EXPECT_EQ(plan->step.surfaces, 2 * 49152);
  for (int i = 0; i < 4; ++i) {
    for (int part = 0; part < 3; ++part) {
      feed(*trainer, part);
      ASSERT_TRUE(trainer->backward().ok());
    }
    auto report = trainer->update();
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->work.evaluations, 3u);
    // A step that was skipped has left the weights as they were.
    const bool isStaged = i == 0 || trainer->state().updates > 1;
    EXPECT_EQ(report->work.stagedBytes, static_cast<uint64_t>((isStaged ? 4 : 3) * kTable * 4)) << i;
  }
  EXPECT_GT(trainer->state().updates, 1);
  // Masters are float32: their lower bits are not what the program sees.
  std::vector<float> table = read(*trainer, "table");
  EXPECT_NE(table[5], 0);
}

} // namespace
