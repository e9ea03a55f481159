//===- mutation_test.cpp - What is wrong with a program is seen -----------===//
//
// For each record of misuse: the emitted program, damaged in just that way, is
// caught by lint mode, and faithful mode does what the record says.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/blob/blob.h"
#include "runtime/format/mil/parser.h"
#include "runtime/lint/view.h"
#include "runtime/test/emulator/device_fixture.h"
#include "runtime/test/lint/mutations.h"
#include "runtime/test/matchers.h"
#include "runtime/test/temporary_folder.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <filesystem>
#include <map>
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

  /// The weight files that the function names and that are not there; the
  /// elements are whatever bytes.
  void writeMissingBlobs(const mil::Function &function) {
    for (const mil::Statement &statement : function.statements)
      for (const auto *list : {&statement.arguments, &statement.attributes})
        for (const mil::NamedValue &named : *list) {
          absl::string_view path = named.value.path;
          std::optional<int64_t> count = named.value.type.numElements();
          if (named.value.kind != mil::Value::Kind::Blob || named.value.offset != 64 || !count || *count > 1 << 16 ||
              !absl::ConsumePrefix(&path, "@model_path/") || absl::EndsWith(path, "main_0.bin"))
            continue;
          auto writer = blob::Writer::create(folder.path(std::string(path)));
          std::vector<uint16_t> bytes(static_cast<size_t>(*count) * 2, 0x3801); // 0.5 and a little, or 1 and 56
          if (writer.ok() && writer->add(named.value.type.dtype, static_cast<uint64_t>(*count), bytes.data()).ok())
            EXPECT_TRUE(writer->finish().ok());
        }
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
    writeMissingBlobs(tree->functions.front());
    auto add = [](const lint::Definition *port, std::vector<SurfaceDesc> &list) {
      if (!port)
        return;
      SurfaceDesc made = makeSurfaceDesc(port->name(), port->type().dtype, port->type().dims);
      made.bytes = std::max<int64_t>(made.bytes, 49152);
      list.push_back(made);
    };
    for (const lint::Definition *port : view.parameters())
      add(port, desc.procedures[0].inputs);
    for (const lint::Definition *port : view.outputs())
      add(port, desc.procedures[0].outputs);
    for (auto *list : {&desc.procedures[0].inputs, &desc.procedures[0].outputs}) {
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
    for (const SurfaceDesc &s : desc.procedures[0].inputs)
      if (s.type == ElementType::Float16)
        values[s.name] = ramp(surfaceRows(s.shape) * s.shape.back(), step += 0.25f);
    return values;
  }

  /// All elements of all inputs are `value`.
  static Values filled(const ProgramDesc &desc, float value) {
    Values values;
    for (const SurfaceDesc &s : desc.procedures[0].inputs)
      if (s.type == ElementType::Float16)
        values[s.name].assign(surfaceRows(s.shape) * s.shape.back(), value);
    return values;
  }

  /// What is slow or inaccurate changes no value here.
  static bool isAdvice(const Record &record) { return !record.isHarmful() || record.symptom == Symptom::Slow; }

  void isCaught(const Mutation &mutation, const Record &record) {
    auto target = lint::Target::parse(mutation.target);
    ASSERT_TRUE(target.ok()) << target.status();
    std::string name = record.id + " " + record.slug + " on " + target->str();
    ProgramDesc desc = describe(mutation);
    if (isAdvice(record)) {
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

  /// Faithful mode does what the record says. False: nothing was seen to happen
  /// on that target, or no values can be computed there to compare with.
  bool behaves(const Mutation &mutation, const Record &record) {
    auto target = lint::Target::parse(mutation.target);
    if (!target.ok() || !target->measuredRuleOf(record) || isAdvice(record))
      return false;
    ProgramDesc desc = describe(mutation);
    Values inputs = inputsOf(desc);
    auto device = deviceOf(Mode::Faithful, mutation.target);
    auto program = device->load(desc);
    if (record.effect == Effect::BySymptom && (record.symptom == Symptom::Reject || record.symptom == Symptom::Crash)) {
      failsWith(program.status(),
                record.symptom == Symptom::Crash ? "the compile service died" : "ANECCompile() FAILED", mutation);
      return true;
    }
    // What another record refuses before.
    static const std::map<std::string, std::string> before = {
        {"C73", "C01 concat"}, {"C82", "C29 opset"}, {"C83", "C137 port-type"}};
    if (auto other = before.find(record.id); other != before.end()) {
      failsWith(program.status(), "violates " + other->second, mutation);
      return true;
    }
    if (!program.ok())
      return false; // no program that can be computed
    auto got = evaluate(*device, **program, desc, inputs);
    // Unequal sizes fail before their order matters.
    if (record.id == "C136" || (record.effect == Effect::BySymptom && record.symptom == Symptom::EvalFail)) {
      failsWith(got.status(), "status=0x1d", mutation);
      return true;
    }
    if (!got.ok())
      return false;
    if (record.effect == Effect::ReadsWrongBytes)
      return true; // any value: those of misuse_test.cpp differ from the right ones
    if (record.effect == Effect::PoisonsProcess) {
      failsWith(evaluate(*device, **program, desc, inputs).status(), "status=0x1d", mutation);
      return true;
    }
    auto all = [&](auto predicate) {
      return std::any_of(got->begin(), got->end(), [&](const auto &output) {
        return std::all_of(output.second.begin(), output.second.end(), predicate);
      });
    };
    if (record.effect == Effect::GivesNaN)
      EXPECT_TRUE(all([](float v) { return std::isnan(v); })) << mutation.id;
    if (record.effect == Effect::GivesZeros)
      EXPECT_TRUE(all([](float v) { return v == 0; })) << mutation.id;
    bool none = record.effect == Effect::NotTold || record.effect == Effect::ComputesAnyway;
    EXPECT_EQ(changesValues(mutation, record, desc, **program, *device), !none) << mutation.id << "\n" << mutation.text;
    return true;
  }

  /// The values are others than without the record.
  bool changesValues(const Mutation &mutation, const Record &record, const ProgramDesc &desc, DeviceProgram &program,
                     Device &device) {
    lint::switchOffForTesting(record.id);
    auto otherDevice = deviceOf(Mode::Faithful, mutation.target);
    auto other = otherDevice->load(desc);
    lint::switchOffForTesting("");
    EXPECT_TRUE(other.ok()) << other.status();
    if (!other.ok())
      return false;
    // Around each number of the records, and small values that are far from all.
    std::vector<Values> candidates = {inputsOf(desc)};
    for (float value :
         {6e-6f, 0.3f, 2.5f, 11.0f, 20.0f, 24.0f, 100.0f, 300.0f, 600.0f, 1024.0f, 1500.0f, 5000.0f, 20000.0f})
      candidates.push_back(filled(desc, value));
    return std::any_of(candidates.begin(), candidates.end(), [&](const Values &values) {
      auto with = evaluate(device, program, desc, values), without = evaluate(*otherDevice, **other, desc, values);
      EXPECT_TRUE(with.ok()) << with.status();
      return with.ok() && (!without.ok() || !same(*with, *without));
    });
  }

  /// NaN is equal to itself.
  static bool same(const Values &a, const Values &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto &x, const auto &y) {
      return std::equal(x.second.begin(), x.second.end(), y.second.begin(), y.second.end(),
                        [](float v, float w) { return v == w || (std::isnan(v) && std::isnan(w)); });
    });
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

/// A mask of several keys, and weights of 8 bits whose file is right: tests of
/// their own in misuse_test.cpp show these.
const std::set<std::string> kShownElsewhere = {"C06", "C76", "C161"};

TEST_F(Mutations, DoWhatIsDocumented) {
  std::set<std::string> seen, all;
  for (const Mutation &mutation : allMutations()) {
    const Record &record = *lint::findRecord(mutation.id);
    if (isAdvice(record) || kShownElsewhere.count(record.id))
      continue;
    all.insert(mutation.id);
    if (behaves(mutation, record))
      seen.insert(mutation.id);
  }
  for (const std::string &id : all)
    EXPECT_TRUE(seen.count(id)) << id << " is not shown by any mutation";
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
