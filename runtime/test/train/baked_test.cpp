// Training of a bundle whose program has a parameter as its weight, on machines that differ in what a changed weight
// does.
#include "runtime/test/train/training_bundle.h"
#include "runtime/train/plan.h"
#include "runtime/train/trainer.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::test;
using namespace ane::rt::train;

namespace {

constexpr int kSteps = 20, kTable = TrainingBundle::kTable;
/// The table in fp16.
constexpr uint64_t kTableBytes = kTable * 2;
using Weights = std::vector<std::vector<float>>;

bool says(const std::string &text, const std::string &words) { return text.find(words) != std::string::npos; }

struct Outcome {
  std::string way;
  Weights weights;
  std::vector<std::string> events; ///< with the step before each
  std::vector<uint64_t> staged;    ///< bytes of each step
  uint64_t updates = 0, compilations = 0, refusals = 0, retries = 0;
};

class Baked : public testing::Test {
protected:
  static TrainerOptions optionsFor(const std::string &device, const std::string &mode = "",
                                   const std::string &way = "") {
    TrainerOptions options;
    options.device.device = device;
    options.device.emulatorMode = mode;
    options.device.weightsBy = way;
    options.optimizer.kind = "adamw";
    options.schedule.rate = 0.25;
    options.lossScale = LossScale::Options{false, 1}; // no step is skipped
    return options;
  }

  std::unique_ptr<Trainer> make(TrainerOptions options) {
    ane_context_options none = ANE_CONTEXT_OPTIONS_INIT;
    ane_context *context = nullptr;
    EXPECT_EQ(ane_context_create(&none, &context), nullptr);
    contexts.emplace_back(context, ane_context_destroy);
    options.device.context = context;
    auto trainer = Trainer::create(files.dir(), options);
    EXPECT_TRUE(trainer.ok()) << trainer.status();
    return trainer.ok() ? *std::move(trainer) : nullptr;
  }

  static void feed(Trainer &trainer, int i) {
    const TrainingBundle::X x = TrainingBundle::x(i);
    const TrainingBundle::Y y = TrainingBundle::y(i);
    ASSERT_TRUE(trainer.setInput(0, x.data(), sizeof x).ok());
    ASSERT_TRUE(trainer.setInput(1, y.data(), sizeof y).ok());
  }

  static StepReport step(Trainer &trainer, int i) {
    feed(trainer, i);
    auto loss = trainer.backward();
    EXPECT_TRUE(loss.ok()) << loss.status();
    auto report = trainer.update();
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *report : StepReport();
  }

  static Weights read(const Trainer &trainer) {
    Weights all;
    for (const Parameter &parameter : trainer.parameters().all()) {
      all.emplace_back(static_cast<size_t>(parameter.elements));
      EXPECT_TRUE(trainer.readParameter(parameter.name, all.back().data(), parameter.elements * 4).ok());
    }
    return all;
  }

  Outcome train(const TrainerOptions &options, int steps = kSteps) {
    Outcome run;
    auto trainer = make(options);
    if (!trainer)
      return run;
    run.way = trainer->weightsBy();
    for (int i = 0; i < steps; ++i) {
      const StepReport report = step(*trainer, i);
      for (const std::string &event : report.events)
        run.events.push_back(std::to_string(report.step) + ": " + event);
      run.staged.push_back(report.work.stagedBytes);
    }
    run.weights = read(*trainer);
    ane_counters counters = ANE_COUNTERS_INIT;
    EXPECT_EQ(ane_context_counters(contexts.back().get(), &counters), nullptr);
    run.updates = counters.weight_updates;
    run.compilations = counters.compilations;
    run.refusals = counters.refusals;
    run.retries = counters.retries;
    return run;
  }

  void bake() {
    files.bakeTable();
    files.write();
  }
  void useInputs() {
    files.useProgram();
    files.write();
  }

  TrainingBundle files{ANE_TEST_TRAINING_LIBRARY};
  std::vector<std::unique_ptr<ane_context, void (*)(ane_context *)>> contexts;
};

/// What the table is as an input of a program that rounds it in the same way.
Weights withInputs() {
  struct Inputs final : Baked {
    void TestBody() override {}
    Weights run() {
      useInputs();
      return train(optionsFor("emulator", "faithful")).weights;
    }
  };
  static const Weights weights = Inputs().run();
  return weights;
}

TEST_F(Baked, EachMachineIsProbedAndGivesTheSameBits) {
  bake();
  struct Case {
    const char *mode, *way, *found;
    uint64_t compilations; // of the probe, the program, and what is compiled again
    const char *event;
  };
  const std::string stale = "since by patch it computes with the old weights";
  const uint64_t changes = kSteps - 1; // the first step has the weights of the bundle
  for (const Case &c :
       {Case{"lint", "", "patch", 2, ""},
        {"plain", "", "patch", 2, ""},
        {"faithful:reload=fresh", "", "patch", 2, ""},
        {"faithful:reload=fresh", "auto", "patch", 2, ""},
        {"faithful:reload=fresh", "donor", "donor", 2, ""},
        {"faithful:reload=fresh", "recompile", "recompile", 2 + changes, ""},
        {"faithful", "", "donor, since by patch", 2, "set by donor, since by patch"},
        {"faithful", "patch", "donor, since by patch", 2, "set by donor, since by patch"},
        {"faithful:donor=refused", "", "recompile, since by patch", 2 + changes, "and by donor"},
        {"faithful:donor=refused,reload=fresh", "donor", "patch, since by donor", 3, "since by donor"}}) {
    SCOPED_TRACE(testing::Message() << c.mode << " " << c.way);
    const Outcome run = train(optionsFor("emulator", c.mode, c.way));
    EXPECT_TRUE(says(run.way, c.found)) << run.way;
    EXPECT_EQ(run.weights, withInputs());
    EXPECT_EQ(run.compilations, c.compilations);
    EXPECT_EQ(run.updates + run.compilations, 2 + changes);
    EXPECT_EQ(run.refusals, 0u);
    if (*c.event == 0) {
      EXPECT_TRUE(run.events.empty()) << run.events[0];
    } else {
      // Once, not in each step.
      ASSERT_EQ(run.events.size(), 1u);
      EXPECT_TRUE(says(run.events[0], "2: program table on emulator: its weights are")) << run.events[0];
      EXPECT_TRUE(says(run.events[0], c.event)) << run.events[0];
    }
  }
}

// The CPU has the table in fp32.
TEST_F(Baked, TheCpuReadsThemWhereTheyAre) {
  const Outcome inputs = train(optionsFor("cpu"));
  bake();
  const Outcome baked = train(optionsFor("cpu"));
  EXPECT_EQ(baked.way, "memory");
  EXPECT_EQ(baked.weights, inputs.weights);
  EXPECT_TRUE(baked.events.empty());
}

TEST_F(Baked, ABudgetThatEndsIsFollowedByAnotherWay) {
  bake();
  // Two are the probe's and the program's.
  const Outcome run = train(optionsFor("emulator", "faithful:compilations=9", "recompile"));
  EXPECT_EQ(run.way, "recompile");
  EXPECT_EQ(run.compilations, 9u);
  EXPECT_EQ(run.updates, kSteps - 1 - 7u);
  EXPECT_EQ(run.weights, withInputs());
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_TRUE(says(run.events[0],
                   "9: program table on emulator: program table: 9 programs were compiled in this process, "
                   "the budget is 9"))
      << run.events[0];
  EXPECT_TRUE(says(run.events[0], "; its weights are set by donor")) << run.events[0];
}

TEST_F(Baked, WithoutAnotherWayTrainingGoesOnOnTheCpu) {
  bake();
  const Outcome run = train(optionsFor("emulator", "faithful:donor=refused,compilations=9"));
  EXPECT_EQ(run.compilations, 9u);
  EXPECT_EQ(run.refusals, 1u);
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_TRUE(says(run.events[1], "9: program table on emulator, runs on the CPU: program table: 9 programs"))
      << run.events[1];
  // From there on the table is not rounded to fp16.
  const Weights inputs = withInputs();
  EXPECT_NE(run.weights, inputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t k = 0; k < inputs[i].size(); ++k)
      EXPECT_NEAR(run.weights[i][k], inputs[i][k], std::abs(inputs[i][k]) * 0x1p-10) << i << " " << k;
  // The same twin from the first step on.
  const Outcome none = train(optionsFor("emulator", "faithful:compilations=1"));
  EXPECT_EQ(none.refusals, 1u);
}

TEST_F(Baked, WithoutAnotherWayDeterministicTrainingEnds) {
  bake();
  TrainerOptions options = optionsFor("emulator", "faithful:compilations=1");
  options.deterministic = true;
  auto trainer = make(options);
  ASSERT_TRUE(trainer);
  feed(*trainer, 0);
  absl::Status status = trainer->backward().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(says(std::string(status.message()),
                   "program table was to run on emulator and ran on the CPU, which gives other bits"))
      << status;
  EXPECT_TRUE(says(std::string(status.message()), "train with device cpu, or not deterministically")) << status;
  EXPECT_EQ(trainer->state().updates, 0);
}

TEST_F(Baked, AStatusThatPassesChangesNothing) {
  bake();
  for (const char *mode :
       {"faithful:failures=3", "faithful:failures=3,reload=fresh", "faithful:failures=3,donor=refused",
        "faithful:failures=2", "faithful:failures=2,compilations=100,donor=refused"}) {
    SCOPED_TRACE(mode);
    const Outcome run = train(optionsFor("emulator", mode));
    EXPECT_EQ(run.weights, withInputs());
    EXPECT_GE(run.retries, kSteps / 3u);
    EXPECT_EQ(run.refusals, 0u);
  }
  // A second try takes no compilation where loads need none.
  EXPECT_EQ(train(optionsFor("emulator", "faithful:failures=3")).compilations, 2u);
}

TEST_F(Baked, StagesWhatHasChanged) {
  bake();
  TrainerOptions options = optionsFor("emulator", "faithful");
  const Outcome all = train(options);
  // The eye [8, 8] and the table that comes out, both fp32 in the plan.
  const uint64_t surfaces = (64 + kTable) * sizeof(float);
  EXPECT_EQ(all.staged[0], surfaces);
  EXPECT_EQ(all.staged[1], surfaces + kTableBytes);
  for (size_t i = 2; i < all.staged.size(); ++i) {
    EXPECT_GT(all.staged[i], surfaces + kTableBytes / 2);
    EXPECT_LE(all.staged[i], surfaces + kTableBytes);
  }
  options.frozen = {"table"};
  const Outcome frozen = train(options);
  EXPECT_EQ(frozen.staged, std::vector<uint64_t>(kSteps, surfaces));
  EXPECT_EQ(frozen.updates, 0u);
  EXPECT_EQ(frozen.weights[1], std::vector<float>(kTable));
  options.frozen.clear();
  options.schedule.rate = 1e-12;
  // fp16 does not show it, but of the first change all is staged.
  const Outcome slow = train(options);
  EXPECT_EQ(slow.updates, 1u);
  EXPECT_EQ(slow.staged[1], surfaces + kTableBytes);
  EXPECT_EQ(slow.staged[2], surfaces);
}

TEST_F(Baked, WhatIsWrittenCounts) {
  bake();
  TrainerOptions options = optionsFor("emulator", "faithful:reload=fresh");
  options.frozen = {"table"};
  auto trainer = make(options);
  ASSERT_TRUE(trainer);
  step(*trainer, 0);
  const float loss = *trainer->evaluate();
  const std::vector<float> table(kTable, 1);
  ASSERT_TRUE(trainer->writeParameter("table", table.data(), sizeof(float) * kTable).ok());
  EXPECT_LT(*trainer->evaluate(), loss);
  EXPECT_EQ(*trainer->backward(), *trainer->evaluate());
}

TEST_F(Baked, EvaluationsHaveEventsToo) {
  bake();
  auto trainer = make(optionsFor("emulator", "faithful"));
  ASSERT_TRUE(trainer);
  EXPECT_TRUE(step(*trainer, 0).events.empty());
  ASSERT_TRUE(trainer->evaluate().ok());
  std::vector<std::string> events = trainer->takeEvents();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(says(events[0], "program table on emulator: its weights are set by donor")) << events[0];
  EXPECT_TRUE(trainer->takeEvents().empty());
  EXPECT_EQ(step(*trainer, 1).events, events); // its own
  ASSERT_TRUE(trainer->evaluate().ok());
  EXPECT_TRUE(step(*trainer, 2).events.empty());
  // Also where nobody asks in between.
  trainer = make(optionsFor("emulator", "faithful"));
  step(*trainer, 0);
  ASSERT_TRUE(trainer->evaluate().ok());
  EXPECT_EQ(step(*trainer, 1).events.size(), 2u);
}

TEST_F(Baked, GoesOnWhereItWasInAnyWay) {
  bake();
  auto first = make(optionsFor("emulator", "faithful:reload=fresh"));
  ASSERT_TRUE(first);
  for (int i = 0; i < 9; ++i)
    step(*first, i);
  ASSERT_TRUE(first->save(files.path("run"), {}, 1).ok());
  for (const char *mode : {"faithful:reload=fresh", "faithful", "faithful:donor=refused"}) {
    auto second = make(optionsFor("emulator", mode));
    ASSERT_TRUE(second);
    auto state = second->load(files.path("run"), {});
    ASSERT_TRUE(state.ok()) << state.status();
    for (int i = 9; i < kSteps; ++i)
      step(*second, i);
    EXPECT_EQ(read(*second), withInputs()) << mode;
  }
}

TEST_F(Baked, RefusesAWayThatTheBundleHasNot) {
  auto refusal = [&](const std::string &way) {
    TrainerOptions options = optionsFor("emulator", "faithful", way);
    return std::string(Trainer::create(files.dir(), options).status().message());
  };
  EXPECT_TRUE(says(refusal("patch"),
                   "weights by patch: the bundle has them as inputs; compile the model with ane-compile "
                   "--train --parameters=baked, or leave it out"));
  bake();
  EXPECT_TRUE(says(refusal("inputs"), "weights by inputs: the bundle has them in its programs"));
  EXPECT_TRUE(says(refusal("both"), "weights_by is \"both\", expected auto, patch, donor or recompile"));
  EXPECT_TRUE(
      says(std::string(Trainer::create(files.dir(), optionsFor("emulator", "faithful:reload=new")).status().message()),
           "'reload=new' is none of reload=fresh"));
}

TEST_F(Baked, APlanKnowsWhatIsStaged) {
  bake();
  const TrainerOptions options = optionsFor("emulator", "faithful");
  auto files = openTraining(this->files.dir());
  ASSERT_TRUE(files.ok()) << files.status();
  auto plan = planTraining(files->manifest, options, "emulator");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->bakedBytes, static_cast<int64_t>(kTableBytes));
  EXPECT_EQ(static_cast<uint64_t>(plan->stagedBytes), train(options, 2).staged.back());
  EXPECT_EQ(planTraining(files->manifest, options, "cpu")->bakedBytes, kTable * 4);
  // What code reads that is a step itself, and stands in for no program, is made with each update.
  manifest::Manifest read = files->manifest;
  read.weights[0].stored[1].hostFunctions = {"eye"};
  EXPECT_EQ(planTraining(read, options, "emulator")->bakedBytes, static_cast<int64_t>(kTableBytes) + kTable * 4);
}

} // namespace
