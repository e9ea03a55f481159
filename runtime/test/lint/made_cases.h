//===- made_cases.h - Programs made from declarative records --------------===//

#ifndef ANE_RUNTIME_TEST_LINT_MADE_CASES_H
#define ANE_RUNTIME_TEST_LINT_MADE_CASES_H

#include "runtime/test/lint/cases.h"

namespace ane::rt::lint {

/// One program that breaks the record and one that does not, for each of its
/// ops, on a target where it holds; empty for rules that are functions of their
/// own.
std::vector<RuleCase> madeCases(const Record &record);

} // namespace ane::rt::lint

#endif // ANE_RUNTIME_TEST_LINT_MADE_CASES_H
