//===- report.h - What ane-mil-diff prints ----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_DIFF_REPORT_H
#define ANE_RUNTIME_TOOLS_DIFF_REPORT_H

#include "runtime/tools/diff/compare.h"
#include "runtime/tools/diff/sources.h"

#include <ostream>

namespace ane::rt::mildiff {

struct ProgramDifference {
  std::string name;
  std::string onlyIn; ///< "a" or "b"; empty: both have it
  std::vector<FunctionDifference> functions;
  std::vector<std::string> functionsOnlyInA, functionsOnlyInB;
  std::vector<std::string> notes;

  bool isEqual() const;
};

struct Report {
  std::string a, b; ///< paths
  std::vector<ProgramDifference> programs;
  std::vector<std::string> notes;

  bool isEqual() const;
};

/// Reads and compares; an error where a file is wrong.
absl::StatusOr<Report> compareSources(const Source &a, const Source &b, Tolerance tolerance);

/// For people: each difference as the statements of both sides and what is other in them.
void printText(const Report &report, std::ostream &out);
/// One object with the same content.
void printJson(const Report &report, std::ostream &out);

} // namespace ane::rt::mildiff

#endif // ANE_RUNTIME_TOOLS_DIFF_REPORT_H
