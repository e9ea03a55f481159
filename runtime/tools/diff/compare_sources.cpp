//===- compare_sources.cpp - Programs and functions of two sources --------===//
#include "absl/strings/str_cat.h"
#include "runtime/support/quote.h"
#include "runtime/tools/diff/report.h"

#include <algorithm>
#include <map>

namespace ane::rt::mildiff {
namespace {

/// Calls `both`, `onlyA` or `onlyB` for each name of two lists, in the order of a. What is alone on both sides is one
/// thing, whatever its name.
template <typename List, typename Both, typename OnlyA, typename OnlyB>
absl::Status matchNames(const List &a, const List &b, Both both, OnlyA onlyA, OnlyB onlyB) {
  if (a.size() == 1 && b.size() == 1)
    return both(a[0], b[0]);
  std::map<std::string, const typename List::value_type *> rest;
  for (const auto &item : b)
    rest.emplace(item.name, &item);
  for (const auto &item : a) {
    auto found = rest.find(item.name);
    if (found == rest.end()) {
      onlyA(item);
      continue;
    }
    if (absl::Status s = both(item, *found->second); !s.ok())
      return s;
    rest.erase(found);
  }
  for (const auto &item : b)
    if (auto found = rest.find(item.name); found != rest.end() && found->second == &item)
      onlyB(item);
  return absl::OkStatus();
}

void note(std::vector<std::string> &notes, const char *what, const std::string &a, const std::string &b) {
  if (a != b)
    notes.push_back(absl::StrCat(what, " is ", a, " in a and ", b, " in b"));
}

absl::Status compareFunctions(const mil::Function &a, ConstantReader &readerA, const NamedProgram &programA,
                              const mil::Function &b, ConstantReader &readerB, const NamedProgram &programB,
                              Tolerance tolerance, ProgramDifference &difference) {
  absl::StatusOr<Graph> graphA = Graph::of(a, readerA, programA.file, tolerance);
  if (!graphA.ok())
    return graphA.status();
  absl::StatusOr<Graph> graphB = Graph::of(b, readerB, programB.file, tolerance);
  if (!graphB.ok())
    return graphB.status();
  FunctionDifference function = compareFunctions(*graphA, *graphB, tolerance);
  note(function.notes, "the function's name", quote(a.name), quote(b.name));
  note(function.notes, "the set of operations", a.opset, b.opset);
  difference.functions.push_back(std::move(function));
  return absl::OkStatus();
}

} // namespace

bool ProgramDifference::isEqual() const {
  return onlyIn.empty() && functionsOnlyInA.empty() && functionsOnlyInB.empty() &&
         std::all_of(functions.begin(), functions.end(), [](const auto &f) { return f.differences.empty(); });
}

bool Report::isEqual() const {
  return std::all_of(programs.begin(), programs.end(), [](const auto &p) { return p.isEqual(); });
}

absl::StatusOr<Report> compareSources(const Source &a, const Source &b, Tolerance tolerance) {
  Report report{a.path, b.path, {}, {}};
  ConstantReader readerA(a.folder, tolerance), readerB(b.folder, tolerance);
  auto both = [&](const NamedProgram &x, const NamedProgram &y) {
    ProgramDifference &difference = report.programs.emplace_back();
    difference.name = x.name;
    note(difference.notes, "the version of the text", x.program.version, y.program.version);
    return matchNames(
        x.program.functions, y.program.functions,
        [&](const mil::Function &f, const mil::Function &g) {
          return compareFunctions(f, readerA, x, g, readerB, y, tolerance, difference);
        },
        [&](const mil::Function &f) { difference.functionsOnlyInA.push_back(f.name); },
        [&](const mil::Function &g) { difference.functionsOnlyInB.push_back(g.name); });
  };
  auto only = [&](const char *side) {
    return [&report, side](const NamedProgram &program) {
      ProgramDifference &difference = report.programs.emplace_back();
      difference.name = program.name;
      difference.onlyIn = side;
    };
  };
  if (absl::Status s = matchNames(a.programs, b.programs, both, only("a"), only("b")); !s.ok())
    return s;
  for (const ConstantReader *reader : {&readerA, &readerB})
    report.notes.insert(report.notes.end(), reader->deviations().begin(), reader->deviations().end());
  return report;
}

} // namespace ane::rt::mildiff
