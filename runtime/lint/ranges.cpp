//===- ranges.cpp - Bounds of values --------------------------------------===//

#include "runtime/lint/ranges.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace ane::rt::lint {
namespace {

/// Longer chains of statements have no bound.
constexpr unsigned kLongestChain = 12;

using Ranges = std::vector<FloatRange>;

/// What the rule of a record asks of a statement.
class Arguments {
public:
  Arguments(const FunctionView &view, const mil::Statement &statement) : view(view), statement(statement) {}

  bool has(const char *name) const { return statement.operand(name) != nullptr; }
  double real(const char *name, std::optional<double> otherwise = std::nullopt) const {
    std::optional<double> value = view.real(statement, name);
    incomplete |= !value && !otherwise;
    return value.value_or(otherwise.value_or(0));
  }
  std::string string(const char *name, const char *otherwise) const {
    return has(name) ? view.string(statement, name) : otherwise;
  }
  /// How many products an element of the result sums.
  int64_t depth() const {
    int64_t known = matmulDepth(view, statement);
    incomplete |= known == 0;
    return known;
  }

  /// An argument was asked for that the text does not give: nothing is known.
  bool isIncomplete() const { return incomplete; }

private:
  const FunctionView &view;
  const mil::Statement &statement;
  mutable bool incomplete = false;
};

/// How bounds of the results follow from those of `operands`: `ranges`, of which `x` and `y` are the first two.
struct Rule {
  std::string_view op;
  std::vector<const char *> operands;
  FloatRange (*bounds)(const Arguments &, const Ranges &ranges, FloatRange x, FloatRange y);
};

const Rule kRules[] = {
#include "runtime/lint/ranges.inc"
};

const Rule *ruleOf(std::string_view op) {
  static const std::unordered_map<std::string_view, const Rule *> byName = [] {
    std::unordered_map<std::string_view, const Rule *> rules;
    for (const Rule &rule : kRules)
      rules.emplace(rule.op, &rule);
    return rules;
  }();
  auto found = byName.find(op);
  return found == byName.end() ? nullptr : found->second;
}

class Bounds {
public:
  explicit Bounds(const FunctionView &view) : view(view) {}

  FloatRange of(const mil::Value &value, unsigned depth) {
    if (const mil::Value *literal = view.literal(&value)) {
      if (literal->floats.empty())
        return {};
      auto [low, high] = std::minmax_element(literal->floats.begin(), literal->floats.end());
      return {*low, *high};
    }
    const Definition *definition = view.definition(value);
    if (!definition || !definition->statement || !depth)
      return {};
    return of(*definition->statement, depth - 1);
  }

  FloatRange of(const mil::Statement &statement, unsigned depth) {
    auto found = known.find(&statement);
    if (found != known.end())
      return found->second;
    FloatRange result = ofResult(statement, depth);
    if (std::isnan(result.low) || std::isnan(result.high))
      result = {};
    return known[&statement] = result;
  }

private:
  FloatRange ofResult(const mil::Statement &statement, unsigned depth) {
    const Rule *rule = ruleOf(statement.op);
    if (!rule)
      return {};
    Ranges ranges;
    for (const char *name : rule->operands) {
      // At least one for each operand, whatever the text gives: rules index them.
      const mil::Value *value = statement.operand(name);
      if (value && value->kind == mil::Value::Kind::Tuple && !value->items.empty())
        for (const mil::Value &item : value->items)
          ranges.push_back(of(item, depth));
      else
        ranges.push_back(value ? of(*value, depth) : FloatRange());
    }
    Arguments arguments(view, statement);
    auto at = [&](size_t i) { return i < ranges.size() ? ranges[i] : FloatRange(); };
    FloatRange result = rule->bounds(arguments, ranges, at(0), at(1));
    return arguments.isIncomplete() ? FloatRange() : result;
  }

  const FunctionView &view;
  std::unordered_map<const mil::Statement *, FloatRange> known;
};

} // namespace

FloatRange rangeOf(const FunctionView &view, const mil::Value &value) { return Bounds(view).of(value, kLongestChain); }

FloatRange rangeOf(const FunctionView &view, const mil::Statement &statement) {
  return Bounds(view).of(statement, kLongestChain);
}

} // namespace ane::rt::lint
