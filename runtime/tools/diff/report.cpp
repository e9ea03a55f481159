//===- report.cpp - What ane-mil-diff prints ------------------------------===//
#include "runtime/tools/diff/report.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace ane::rt::mildiff {
namespace {

using Json = nlohmann::ordered_json;

/// A number for people: short, but different for different fp32 values.
std::string number(double value) { return absl::StrFormat("%.9g", value); }

std::string count(size_t n, const char *what) { return absl::StrCat(n, " ", what, n == 1 ? "" : "s"); }

std::string valuesText(const ValueDifference &values) {
  if (values.largest == 0 && values.place.empty())
    return "";
  std::string text = absl::StrCat(values.differing, " of ", values.elements, " elements differ");
  if (values.differing == 0)
    return "the numbers are equal, their bits are not";
  return absl::StrCat(text, ", the largest difference is ", number(values.largest), " at [",
                      absl::StrJoin(values.place, ", "), "]: ", number(values.a), " and ", number(values.b));
}

std::string changeText(const Change &change) {
  std::string text = change.what;
  if (!change.name.empty())
    absl::StrAppend(&text, " ", change.name);
  absl::StrAppend(&text, ": ");
  if (change.a.empty())
    return absl::StrCat(text, change.b, " in b, nothing in a");
  if (change.b.empty())
    return absl::StrCat(text, change.a, " in a, nothing in b");
  std::string values = change.values ? valuesText(*change.values) : "";
  if (change.a == change.b)
    return absl::StrCat(text, change.a, values.empty() ? "" : ": ", values);
  return absl::StrCat(text, change.a, " and ", change.b, values.empty() ? "" : ": ", values);
}

void printSide(char sign, const std::optional<Side> &side, std::ostream &out) {
  if (!side)
    return;
  out << sign << " ";
  if (side->loc.line != 0)
    out << side->loc.line << ": ";
  out << side->text << "\n";
}

void printFunction(const ProgramDifference &program, const FunctionDifference &function, std::ostream &out) {
  for (const Difference &difference : function.differences) {
    out << "@@ " << program.name << " " << function.name << ": " << difference.kind;
    if (!difference.a || !difference.b)
      out << " only in " << (difference.a ? "a" : "b");
    out << " @@\n";
    printSide('-', difference.a, out);
    printSide('+', difference.b, out);
    for (const Change &change : difference.changes)
      out << "    " << changeText(change) << "\n";
  }
}

Json jsonNumber(double value) {
  // JSON has no infinity.
  return std::isfinite(value) ? Json(value) : Json(absl::StrFormat("%g", value));
}

Json json(const std::optional<Side> &side) {
  if (!side)
    return nullptr;
  Json object{{"text", side->text}, {"name", side->name}};
  if (!side->op.empty())
    object["op"] = side->op;
  if (side->loc.line != 0)
    object["line"] = side->loc.line;
  return object;
}

Json json(const Change &change) {
  auto text = [](const std::string &side) { return side.empty() ? Json(nullptr) : Json(side); };
  Json object{{"what", change.what}, {"name", change.name}, {"a", text(change.a)}, {"b", text(change.b)}};
  if (const auto &values = change.values)
    object["values"] = {
        {"elements", values->elements}, {"differing", values->differing}, {"largest", jsonNumber(values->largest)},
        {"place", values->place},       {"a", jsonNumber(values->a)},     {"b", jsonNumber(values->b)}};
  return object;
}

Json json(const FunctionDifference &function) {
  Json differences = Json::array();
  for (const Difference &difference : function.differences) {
    Json changes = Json::array();
    for (const Change &change : difference.changes)
      changes.push_back(json(change));
    differences.push_back(
        {{"kind", difference.kind}, {"a", json(difference.a)}, {"b", json(difference.b)}, {"changes", changes}});
  }
  return {{"name", function.name},
          {"statements", {{"a", function.statementsA}, {"b", function.statementsB}, {"equal", function.equal}}},
          {"differences", differences},
          {"notes", function.notes}};
}

} // namespace

void printText(const Report &report, std::ostream &out) {
  size_t differences = 0, statements = 0;
  for (const ProgramDifference &program : report.programs) {
    differences += !program.onlyIn.empty() + program.functionsOnlyInA.size() + program.functionsOnlyInB.size();
    for (const FunctionDifference &function : program.functions) {
      differences += function.differences.size();
      statements += function.statementsA;
    }
  }
  if (differences != 0)
    out << "--- " << report.a << "\n+++ " << report.b << "\n";
  for (const ProgramDifference &program : report.programs) {
    if (!program.onlyIn.empty())
      out << "@@ " << program.name << ": program only in " << program.onlyIn << " @@\n";
    for (const std::string &name : program.functionsOnlyInA)
      out << "@@ " << program.name << " " << name << ": function only in a @@\n";
    for (const std::string &name : program.functionsOnlyInB)
      out << "@@ " << program.name << " " << name << ": function only in b @@\n";
    for (const FunctionDifference &function : program.functions)
      printFunction(program, function, out);
  }
  auto notes = [&](const std::string &place, const std::vector<std::string> &all) {
    for (const std::string &text : all)
      out << "note: " << place << text << "\n";
  };
  for (const ProgramDifference &program : report.programs) {
    notes(program.name + ": ", program.notes);
    for (const FunctionDifference &function : program.functions)
      notes(absl::StrCat(program.name, " ", function.name, ": "), function.notes);
  }
  notes("", report.notes);
  if (differences == 0)
    out << "equal: " << count(report.programs.size(), "program") << ", " << count(statements, "statement") << "\n";
  else
    out << count(differences, "difference") << "\n";
}

void printJson(const Report &report, std::ostream &out) {
  Json programs = Json::array();
  for (const ProgramDifference &program : report.programs) {
    Json functions = Json::array();
    for (const FunctionDifference &function : program.functions)
      functions.push_back(json(function));
    Json object{{"name", program.name}, {"equal", program.isEqual()}};
    object["only_in"] = program.onlyIn.empty() ? Json(nullptr) : Json(program.onlyIn);
    object["functions"] = functions;
    object["functions_only_in"] = {{"a", program.functionsOnlyInA}, {"b", program.functionsOnlyInB}};
    object["notes"] = program.notes;
    programs.push_back(object);
  }
  Json object{{"equal", report.isEqual()}, {"a", report.a}, {"b", report.b}, {"programs", programs}};
  object["notes"] = report.notes;
  out << object.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

} // namespace ane::rt::mildiff
