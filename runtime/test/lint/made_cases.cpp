//===- made_cases.cpp - Programs made from declarative records ------------===//

#include "runtime/test/lint/made_cases.h"

#include <algorithm>
#include <optional>

namespace ane::rt::lint {
namespace {

const std::string kRelu = kT + "y = relu(x = a);";

std::optional<std::pair<TargetSpelling, Target>> targetOf(const Record &record) {
  for (const char *os : {"15", "27"})
    for (const char *route : allRoutes())
      for (const Chip &chip : allChips()) {
        TargetSpelling spelling{chip.name, route, os, ""};
        auto target = Target::parse(spelling);
        if (target.ok() && chip.hasMIL && target->ruleOf(record))
          return std::pair(spelling, *target);
      }
  return std::nullopt;
}

std::vector<RuleCase> perOp(const Record &record, const TargetSpelling &target, const std::string &illegalArguments,
                            const std::string &legalArguments) {
  std::vector<RuleCase> result;
  for (const std::string &op : record.ops) {
    RuleCase one{record.id, target, {}, {kA, kRelu}};
    // The oldest, so that no rule about opsets is broken.
    std::string opset = "ios" + std::to_string(std::max(16, opsetOf(op)));
    one.illegal = {kA, kT + "y = " + op + "(" + illegalArguments + ");", "y", opset};
    if (!legalArguments.empty())
      one.legal = {kA, "fp16 k = const()[val = fp16(1)];" + kT + "y = " + op + "(" + legalArguments + ");", "y", opset};
    result.push_back(one);
  }
  return result;
}

/// A tensor whose measure is `extent`.
std::string shapeWith(const std::string &measure, int64_t extent) {
  std::string number = std::to_string(extent);
  if (measure == "rankOf") {
    std::string dims = "64]";
    for (int64_t i = 1; i < extent; ++i)
      dims = "1, " + dims;
    return "[" + dims;
  }
  if (measure == "batchOf")
    return "[" + number + ", 1, 1, 64]";
  if (measure == "channelsOf")
    return "[1, " + number + ", 1, 64]";
  if (measure == "heightOf")
    return "[1, 1, " + number + ", 64]";
  return "[1, 1, 1, " + number + "]";
}

} // namespace

std::vector<RuleCase> madeCases(const Record &record) {
  auto holds = targetOf(record);
  if (!holds)
    return {};
  const TargetSpelling &target = holds->first;
  const std::vector<std::string> &arguments = record.rule.arguments;
  if (record.rule.name == "unsupported")
    return perOp(record, target, "x = a", "");
  if (record.rule.name == "operandIsAbsent")
    return perOp(record, target, "x = a, " + arguments[0] + " = a", "x = a");
  if (record.rule.name == "operandIsConstant")
    return perOp(record, target, "x = a, " + arguments[0] + " = a", "x = a, " + arguments[0] + " = k");
  if (record.rule.name == "elementTypeIn") {
    std::string other = "tensor<fp32, [1, 8, 1, 64]> ";
    return {{record.id, target, {other + "a", other + "y = relu(x = a);"}, {kA, kRelu}}};
  }
  if (record.rule.name == "typesAtMost") {
    int64_t limit = holds->second.limit(*findLimit(arguments[2]));
    auto program = [&](int64_t extent) {
      std::string type = "tensor<fp16, " + shapeWith(arguments[0], extent) + "> ";
      const std::string op = record.ops.empty() ? "relu" : record.ops[0];
      return CaseProgram{type + "a", type + "y = " + op + "(x = a);"};
    };
    return {{record.id, target, program(limit + 1), program(limit)}};
  }
  return {};
}

} // namespace ane::rt::lint
