//===- cases.h - Programs that break one record each ----------------------===//
//
// Written by hand, for records whose rule is a function of its own; programs for
// the other records are made in rules_test.cpp from the record itself.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_TEST_LINT_CASES_H
#define ANE_RUNTIME_TEST_LINT_CASES_H

#include "runtime/lint/linter.h"

#include <string>
#include <vector>

namespace ane::rt::lint {

/// Each literal in place of a constant's name gets a const statement: programs
/// are written shorter than C197 takes them.
std::string withNamedLiterals(const std::string &text);

/// Parameters, statements and results of a function.
struct CaseProgram {
  std::string parameters, statements, results = "y";
  std::string opset = "ios16", version = "1.0";
  bool asWritten = false; ///< literals stay where they are

  std::string text() const;
};

struct RuleCase {
  std::string id;
  TargetSpelling target;
  CaseProgram illegal, legal;
};

/// Cases by subject, a file each.
std::vector<RuleCase> programCases();
std::vector<RuleCase> opCases();
std::vector<RuleCase> formCases();
std::vector<RuleCase> neighbourCases();

// A tensor of 1 KiB with rows of 64 elements, as a parameter and as a result.
inline const std::string kA = "tensor<fp16, [1, 8, 1, 64]> a";
inline const std::string kT = "tensor<fp16, [1, 8, 1, 64]> ";

} // namespace ane::rt::lint

#endif // ANE_RUNTIME_TEST_LINT_CASES_H
