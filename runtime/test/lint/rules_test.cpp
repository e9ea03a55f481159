//===- rules_test.cpp - Each record finds what breaks it ------------------===//

#include "runtime/format/mil/parser.h"
#include "runtime/lint/rules.h"
#include "runtime/test/lint/cases.h"
#include "runtime/test/lint/made_cases.h"
#include "runtime/test/lint/mutations.h"

#include <gtest/gtest.h>

#include <set>

namespace ane::rt::lint {
namespace {

std::vector<RuleCase> handWritten() {
  std::vector<RuleCase> result;
  for (const auto &cases : {programCases(), opCases(), formCases(), neighbourCases()})
    for (const RuleCase &one : cases)
      result.push_back(one);
  return result;
}

/// Diagnostics of one record, as text.
std::vector<std::string> findings(const CaseProgram &program, const std::string &id, const TargetSpelling &spelling,
                                  const LintOptions &options = {}) {
  auto tree = mil::parse(program.text());
  EXPECT_TRUE(tree.ok()) << tree.status() << program.text();
  auto target = Target::parse(spelling);
  EXPECT_TRUE(target.ok()) << target.status();
  std::vector<std::string> result;
  std::string text = program.text();
  LintOptions withText = options;
  withText.source = text;
  if (tree.ok() && target.ok())
    for (const Diagnostic &diagnostic : lint(*tree, *target, withText))
      if (diagnostic.code() == id) {
        EXPECT_GT(diagnostic.loc.line, 0u) << id;
        bool slow = !diagnostic.record->isHarmful() || diagnostic.record->symptom == Symptom::Slow;
        EXPECT_TRUE(diagnostic.warning || !slow) << id;
        EXPECT_FALSE(diagnostic.remedy.empty()) << id;
        result.push_back(diagnostic.message(*target));
      }
  return result;
}

void check(const RuleCase &one) {
  if (!one.illegal.statements.empty()) {
    EXPECT_FALSE(findings(one.illegal, one.id, one.target).empty()) << one.id << " is not found in\n"
                                                                    << one.illegal.text();
    switchOffForTesting(one.id);
    EXPECT_TRUE(findings(one.illegal, one.id, one.target).empty()) << one.id << " is found though it is switched off";
    switchOffForTesting("");
  }
  if (!one.legal.statements.empty()) {
    std::vector<std::string> found = findings(one.legal, one.id, one.target);
    EXPECT_TRUE(found.empty()) << found.front() << "\nin\n" << one.legal.text();
  }
}

TEST(LintRules, FindHandWrittenMisuse) {
  for (const RuleCase &one : handWritten())
    check(one);
}

TEST(LintRules, FindWhatRecordsSpellOut) {
  size_t count = 0;
  for (const Record &record : allRecords())
    for (const RuleCase &one : madeCases(record)) {
      check(one);
      ++count;
    }
  EXPECT_GE(count, 40u);
}

/// What a process has done before: at the limit, and one past it.
struct ProcessCase {
  std::string id;
  TargetSpelling target;
  LintOptions legal, illegal;
};

std::vector<ProcessCase> processCases() {
  auto with = [](auto member, auto value) {
    LintOptions options;
    options.*member = value;
    return options;
  };
  const int64_t aperture = int64_t(7) << 29; // 3.5 GiB
  return {
      {"C05", {}, with(&LintOptions::compiled, 118), with(&LintOptions::compiled, 119)},
      {"C139", {"m4", "coreml"}, with(&LintOptions::loadedPrograms, 126), with(&LintOptions::loadedPrograms, 127)},
      {"C139", {"m4", "e5rt"}, with(&LintOptions::loadedPrograms, 127), with(&LintOptions::loadedPrograms, 128)},
      {"C140", {}, with(&LintOptions::loadedBytes, aperture), with(&LintOptions::loadedBytes, aperture + 1)},
      {"C07", {}, {}, with(&LintOptions::changedFiles, std::vector<std::string>{"w.bin"})},
  };
}

TEST(LintRules, FindWhatTheProcessHasDone) {
  CaseProgram relu{kA, kT + "y = relu(x = a);"};
  for (const ProcessCase &one : processCases()) {
    EXPECT_TRUE(findings(relu, one.id, one.target, one.legal).empty()) << one.id;
    EXPECT_FALSE(findings(relu, one.id, one.target, one.illegal).empty()) << one.id;
    switchOffForTesting(one.id);
    EXPECT_TRUE(findings(relu, one.id, one.target, one.illegal).empty()) << one.id;
    switchOffForTesting("");
  }
}

TEST(LintRules, EveryRecordHasARuleAndACase) {
  std::set<std::string> cases;
  for (const RuleCase &one : handWritten())
    cases.insert(one.id);
  for (const ProcessCase &one : processCases())
    cases.insert(one.id);
  // About allocations, which cases do not describe: mutation_test.cpp.
  for (const Mutation &one : handMadeMutations())
    cases.insert(one.id);
  for (const Record &record : allRecords()) {
    if (record.rule.name.empty()) {
      EXPECT_TRUE(!record.noRule.empty() || !record.isHarmful())
          << record.id << " " << record.slug << " has neither a rule nor a reason for having none";
      continue;
    }
    EXPECT_TRUE(findRule(record.rule.name))
        << record.id << " " << record.slug << ": the linter has no rule '" << record.rule.name << "'";
    for (const Lift &lift : record.lifts)
      EXPECT_TRUE(lift.remains.name.empty() || findRule(lift.remains.name))
          << record.id << " " << record.slug << ": the linter has no rule '" << lift.remains.name << "'";
    EXPECT_TRUE(cases.count(record.id) || !madeCases(record).empty())
        << record.id << " " << record.slug << " has no case";
  }
}

} // namespace
} // namespace ane::rt::lint
