//===- mutation_test.cpp - What is wrong with a program is seen -----------===//
//
// For each record of misuse: the emitted program, damaged in just that way, is
// caught by lint mode, and faithful mode does what the record says.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/emulator/lint/view.h"
#include "runtime/format/blob/blob.h"
#include "runtime/format/mil/parser.h"
#include "runtime/test/emulator/device_fixture.h"
#include "runtime/test/emulator/matchers.h"
#include "runtime/test/emulator/mutations.h"
#include "runtime/test/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace ane::rt::emulator {
namespace {

using lint::Effect;
using lint::Mutation;
using lint::Record;
using lint::Symptom;

class Mutations : public testing::Test {
protected:
  test::TemporaryFolder folder;

  void SetUp() override {
    std::filesystem::create_directories(folder.path("weights"));
    auto writer = blob::Writer::create(folder.path("weights/main_0.bin"));
    ASSERT_TRUE(writer.ok()) << writer.status();
    std::vector<uint16_t> halves;
    for (int i = 0; i < 64; ++i)
      halves.push_back(floatToHalf(static_cast<float>(i % 7) * 0.25f));
    ASSERT_TRUE(writer->add(ElementType::Float16, 64, halves.data()).ok());
    ASSERT_TRUE(writer->finish().ok());
  }

  /// The program with surfaces as a host allocates them.
  ProgramDesc describe(const Mutation &mutation) {
    ProgramDesc desc;
    desc.name = mutation.id;
    desc.milText = mutation.text;
    desc.folder = folder.open();
    auto tree = mil::parse(mutation.text);
    EXPECT_TRUE(tree.ok()) << tree.status() << mutation.text;
    if (!tree.ok())
      return desc;
    lint::FunctionView view(tree->functions.front());
    auto add = [](const lint::Definition *port, std::vector<SurfaceDesc> &list) {
      if (!port)
        return;
      SurfaceDesc made = makeSurfaceDesc(port->name(), port->type().dtype, port->type().dims);
      made.bytes = std::max<int64_t>(made.bytes, 49152);
      list.push_back(made);
    };
    for (const lint::Definition *port : view.parameters())
      add(port, desc.inputs);
    for (const lint::Definition *port : view.outputs())
      add(port, desc.outputs);
    for (auto *list : {&desc.inputs, &desc.outputs}) {
      int64_t most = 0;
      for (const SurfaceDesc &s : *list)
        most = std::max(most, s.bytes);
      for (SurfaceDesc &s : *list)
        s.bytes = most;
    }
    if (mutation.bind)
      mutation.bind(desc);
    return desc;
  }

  Values inputsOf(const ProgramDesc &desc) {
    Values values;
    float step = 0.25f;
    for (const SurfaceDesc &s : desc.inputs)
      if (s.type == ElementType::Float16)
        values[s.name] = ramp(surfaceRows(s.shape) * s.shape.back(), step += 0.25f);
    return values;
  }

  void isCaught(const Mutation &mutation, const Record &record) {
    auto target = lint::Target::parse(mutation.target);
    ASSERT_TRUE(target.ok()) << target.status();
    std::string name = record.id + " " + record.slug + " on " + target->str();
    ProgramDesc desc = describe(mutation);
    if (!record.isHarmful() || record.symptom == Symptom::Slow) {
      auto tree = mil::parse(mutation.text);
      lint::LintOptions options;
      options.folder = desc.folder.get();
      auto found = lint::lint(*tree, *target, options);
      EXPECT_TRUE(
          std::any_of(found.begin(), found.end(), [&](const auto &d) { return d.record == &record && d.warning; }))
          << name << " is not found in\n"
          << mutation.text;
      return;
    }
    absl::Status status = deviceOf(Mode::Lint, mutation.target)->load(desc).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_PRED_FORMAT2(hasText, std::string(status.message()), "violates " + name);
    lint::switchOffForTesting(record.id);
    absl::Status without = deviceOf(Mode::Lint, mutation.target)->load(desc).status();
    EXPECT_EQ(without.message().find("violates " + name), absl::string_view::npos) << without;
    lint::switchOffForTesting("");
  }

  static void failsWith(const absl::Status &status, const std::string &text, const Mutation &mutation) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << mutation.id << ": " << status << "\n"
                                                                    << mutation.text;
    EXPECT_PRED_FORMAT2(hasText, std::string(status.message()), text);
  }

  void behaves(const Mutation &mutation, const Record &record) {
    auto target = lint::Target::parse(mutation.target);
    if (!target.ok() || !target->measuredRuleOf(record) || !record.isHarmful() || record.symptom == Symptom::Slow)
      return; // nothing was seen to happen there
    ProgramDesc desc = describe(mutation);
    Values inputs = inputsOf(desc);
    auto device = deviceOf(Mode::Faithful, mutation.target);
    auto program = device->load(desc);
    if (record.effect == Effect::BySymptom && (record.symptom == Symptom::Reject || record.symptom == Symptom::Crash))
      return failsWith(program.status(),
                       record.symptom == Symptom::Crash ? "the compile service died" : "ANECCompile() FAILED",
                       mutation);
    // Values of programs that cannot be computed are of no interest here.
    auto plainDevice = deviceOf(Mode::Plain);
    auto plain = plainDevice->load(desc);
    if (!plain.ok() && record.effect != Effect::ReadsWrongBytes) {
      EXPECT_FALSE(program.ok()) << mutation.id;
      return;
    }
    // Where it holds, concat is refused as such.
    if (record.id == "C73")
      return failsWith(program.status(), "violates C01 concat", mutation);
    ASSERT_TRUE(program.ok()) << mutation.id << ": " << program.status();
    // Unequal sizes fail before their order matters.
    if (record.id == "C136")
      return failsWith(evaluate(*device, **program, desc, inputs).status(), "status=0x1d", mutation);
    auto got = evaluate(*device, **program, desc, inputs);
    if (record.effect == Effect::BySymptom && record.symptom == Symptom::EvalFail)
      return failsWith(got.status(), "status=0x1d", mutation);
    if (record.effect == Effect::ReadsWrongBytes) {
      ASSERT_TRUE(got.ok()) << got.status();
      return; // any value: those of misuse_test.cpp differ from the right ones
    }
    auto right = evaluate(*plainDevice, **plain, desc, inputs);
    ASSERT_TRUE(right.ok()) << right.status();
    if (record.effect == Effect::PoisonsProcess) {
      EXPECT_TRUE(got.ok()) << got.status();
      auto next = evaluate(*device, **program, desc, inputs);
      return failsWith(next.status(), "status=0x1d", mutation);
    }
    ASSERT_TRUE(got.ok()) << mutation.id << ": " << got.status();
    auto all = [&](auto predicate) {
      return std::any_of(got->begin(), got->end(), [&](const auto &output) {
        return std::all_of(output.second.begin(), output.second.end(), predicate);
      });
    };
    switch (record.effect) {
    case Effect::GivesNaN:
      EXPECT_TRUE(all([](float v) { return std::isnan(v); })) << mutation.id;
      return;
    case Effect::GivesZeros:
      EXPECT_TRUE(all([](float v) { return v == 0; })) << mutation.id;
      return;
    case Effect::SwapsSurfaces:
    case Effect::ReadsWrongRows:
    case Effect::IgnoresWeight:
    case Effect::DropsFactor:
    case Effect::GivesGarbage:
      EXPECT_NE(*got, *right) << mutation.id;
      return;
    default: // values of single elements are those of misuse_test.cpp
      return;
    }
  }
};

std::vector<Mutation> allMutations() {
  std::vector<Mutation> result = lint::handMadeMutations();
  for (const Record &record : lint::allRecords()) {
    bool byHand = std::any_of(result.begin(), result.end(), [&](const Mutation &m) { return m.id == record.id; });
    if (!byHand)
      for (Mutation &mutation : lint::mutationsOf(record))
        result.push_back(std::move(mutation));
  }
  return result;
}

TEST_F(Mutations, TheEmittedProgramIsGood) {
  Mutation none{"none", {}, lint::emittedText(), nullptr};
  ProgramDesc desc = describe(none);
  for (const char *chip : {"m1", "m2", "m3", "m4", "m5"})
    for (const char *strictness : {"catalog", "evidence"}) {
      lint::TargetSpelling target{chip, "", "", strictness};
      auto device = deviceOf(Mode::Lint, target);
      auto program = device->load(desc);
      ASSERT_TRUE(program.ok()) << program.status();
      auto faithful = deviceOf(Mode::Faithful, target);
      auto same = faithful->load(desc);
      ASSERT_TRUE(same.ok()) << same.status();
      Values inputs = inputsOf(desc);
      EXPECT_EQ(*evaluate(*device, **program, desc, inputs), *evaluate(*faithful, **same, desc, inputs));
    }
}

TEST_F(Mutations, AreCaughtByLint) {
  for (const Mutation &mutation : allMutations())
    isCaught(mutation, *lint::findRecord(mutation.id));
}

TEST_F(Mutations, DoWhatIsDocumented) {
  for (const Mutation &mutation : allMutations())
    behaves(mutation, *lint::findRecord(mutation.id));
}

/// Of the process, not of a program: misuse_test.cpp shows them.
const std::set<std::string> kProcessRules = {"compileBudget", "weightsUnchanged", "loadedPrograms", "loadedBytes"};

TEST_F(Mutations, EveryRecordHasOne) {
  std::set<std::string> ids;
  for (const Mutation &mutation : allMutations())
    ids.insert(mutation.id);
  for (const Record &record : lint::allRecords())
    EXPECT_TRUE(record.rule.name.empty() || ids.count(record.id) || kProcessRules.count(record.rule.name))
        << record.id << " " << record.slug << " has no mutation";
}

TEST_F(Mutations, WrongValuesAreDocumented) {
  for (const Record &record : lint::allRecords())
    EXPECT_FALSE(record.symptom == lint::Symptom::WrongResult && record.effect == Effect::BySymptom &&
                 !record.rule.name.empty())
        << record.id << " " << record.slug << " does not say what faithful mode computes";
}

} // namespace
} // namespace ane::rt::emulator
