//===- intervals.cpp - Bounds of values -----------------------------------===//

#include "runtime/device/emulator/lint/intervals.h"
#include "runtime/device/emulator/lint/records.h"

#include <algorithm>
#include <cmath>

namespace ane::rt::lint {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
/// Longer chains of statements have no bound.
constexpr unsigned kLongestChain = 12;

/// 0 times infinity is 0 here: a bound of 0 is exact.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Interval unite(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
Interval clamp(Interval x, double low, double high) {
  // Not std::clamp: a hostile text may have low > high.
  return {std::min(std::max(x.low, low), high), std::min(std::max(x.high, low), high)};
}
Interval product(Interval a, Interval b) {
  auto [low, high] =
      std::minmax({times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
  return {low, high};
}
Interval magnitude(Interval x) {
  double high = std::max(std::abs(x.low), std::abs(x.high));
  double low = x.low <= 0 && x.high >= 0 ? 0 : std::min(std::abs(x.low), std::abs(x.high));
  return {low, high};
}

class Bounds {
public:
  explicit Bounds(const FunctionView &view) : view(view) {}

  Interval of(const mil::Value &value, unsigned depth) {
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

  Interval of(const mil::Statement &statement, unsigned depth) {
    auto found = known.find(&statement);
    if (found != known.end())
      return found->second;
    Interval result = ofResult(statement, depth);
    if (std::isnan(result.low) || std::isnan(result.high))
      result = {};
    return known[&statement] = result;
  }

private:
  Interval ofResult(const mil::Statement &statement, unsigned depth) {
    auto operand = [&](const char *name) {
      const mil::Value *value = statement.operand(name);
      return value ? of(*value, depth) : Interval();
    };
    auto x = [&] { return operand("x"); };
    auto y = [&] { return operand("y"); };
    auto real = [&](const char *name, double otherwise) { return view.real(statement, name).value_or(otherwise); };
    const std::string &op = statement.op;
    if (isIn(OpGroup::WithinZeroAndOne, op))
      return {0, 1};
    if (isIn(OpGroup::WithinOneOfZero, op))
      return {-1, 1};
    if (isIn(OpGroup::KeepsBounds, op))
      return x();
    if (op == "concat") {
      bool first = true;
      Interval all;
      for (const Use &use : view.uses(statement))
        if (use.argument.rfind("values", 0) == 0) {
          Interval part = of(*use.value, depth);
          all = first ? part : unite(all, part);
          first = false;
        }
      return all;
    }
    if (op == "select")
      return unite(operand("a"), operand("b"));
    if (op == "relu")
      return clamp(x(), 0, kInf);
    if (op == "relu6")
      return clamp(x(), 0, 6);
    if (op == "clip")
      return clamp(x(), real("alpha", -kInf), real("beta", kInf));
    if (op == "threshold")
      return clamp(x(), real("alpha", -kInf), kInf);
    if (op == "abs")
      return magnitude(x());
    if (op == "square") {
      Interval m = magnitude(x());
      return {m.low * m.low, m.high * m.high};
    }
    if (op == "exp")
      return {std::exp(x().low), std::exp(x().high)};
    if (op == "sqrt")
      return {std::sqrt(std::max(x().low, 0.0)), std::sqrt(std::max(x().high, 0.0))};
    if (isIn(OpGroup::Roundings, op))
      return {std::floor(x().low), std::ceil(x().high)};
    if (op == "maximum")
      return {std::max(x().low, y().low), std::max(x().high, y().high)};
    if (op == "minimum")
      return {std::min(x().low, y().low), std::min(x().high, y().high)};
    if (op == "add")
      return {x().low + y().low, x().high + y().high};
    if (op == "sub")
      return {x().low - y().high, x().high - y().low};
    if (op == "mul")
      return product(x(), y());
    if (op == "real_div") {
      Interval divisor = y();
      return divisor.low > 0 ? product(x(), {1 / divisor.high, 1 / divisor.low}) : Interval();
    }
    if (op == "matmul")
      return repeated(product(x(), y()), matmulDepth(view, statement));
    return {};
  }

  static Interval repeated(Interval x, int64_t count) {
    auto n = static_cast<double>(count);
    return {times(x.low, n), times(x.high, n)};
  }

  const FunctionView &view;
  std::unordered_map<const mil::Statement *, Interval> known;
};

} // namespace

Interval intervalOf(const FunctionView &view, const mil::Value &value) { return Bounds(view).of(value, kLongestChain); }

Interval intervalOf(const FunctionView &view, const mil::Statement &statement) {
  return Bounds(view).of(statement, kLongestChain);
}

} // namespace ane::rt::lint
