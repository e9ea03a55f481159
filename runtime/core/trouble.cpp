//===- trouble.cpp - Values that fp16 does not hold -----------------------===//
#include "runtime/core/trouble.h"
#include "absl/strings/str_cat.h"
#include <algorithm>

namespace ane::rt {
namespace {

bool isMet(const manifest::Condition &condition, const Extent &extent) {
  if (condition.exact && extent.isHalf)
    return true;
  // No comparison with NaN is true, not even with itself.
  return (condition.low || condition.high) && extent.low >= condition.low.value_or(extent.low) &&
         extent.high <= condition.high.value_or(extent.high);
}

} // namespace

Trouble Judge::troubleOf(const Argument &input, const Extent &extent) {
  auto trouble = [&](const std::string &cause, const auto &...text) {
    return Trouble{absl::StrCat(input.port->name, " ", cause), absl::StrCat("input ", input.port->name, " ", text...)};
  };
  auto are = [&] { return absl::StrCat("from ", extent.low, " to ", extent.high); };
  // What another program computed was judged as its output, and goes on as it is.
  if (!input.value->isComputed) {
    if (extent.hasNaN())
      return trouble("NaN", "has NaN, of which the engine makes infinity (C86)");
    if (!extent.isFinite())
      return trouble("infinite", "has infinite elements, with which the engine computes otherwise (C86)");
    const bool isRounded = input.port->dtype == ElementType::Float16;
    if (isRounded && extent.overflowsHalf())
      return trouble("overflow", "has values beyond 65504, the largest of fp16: they are ", are());
    if (isRounded && extent.isBelowHalf() && !extent.isHalf)
      return trouble("underflow", "has only values that are too small for the digits of fp16, below 6.1e-5: they are ",
                     are());
  }
  for (const manifest::Condition &condition : input.port->holds)
    if (!isMet(condition, extent)) {
      std::string wanted = manifest::conditionText(condition);
      return trouble(wanted, "has values ", are(), ", and the program computes what the model does where they are ",
                     wanted);
    }
  return {};
}

/// Says why the program can't compute with its inputs what the model says.
absl::StatusOr<Trouble> Judge::ofInputs(absl::Span<const Argument> inputs) {
  if (policy == NumericPolicy::Off || policy == NumericPolicy::Clamp)
    return Trouble();
  for (const Argument &input : inputs) {
    if (input.value->isComputed && input.port->holds.empty())
      continue;
    auto extent = values.extentOf(*input.value, *input.form);
    if (extent.ok() && input.form->isHull && !troubleOf(input, *extent).cause.empty())
      extent = values.exactExtentOf(*input.value, *input.form);
    if (!extent.ok())
      return extent.status();
    if (Trouble trouble = troubleOf(input, *extent); !trouble.cause.empty())
      return trouble;
  }
  return Trouble();
}

absl::StatusOr<bool> Judge::areFinite(absl::Span<const Argument> surfaces, bool atBorder) {
  for (const Argument &argument : surfaces)
    if (!atBorder || argument.value->isAtBorder()) {
      auto extent = values.extentOf(*argument.value, *argument.form);
      if (!extent.ok())
        return extent.status();
      if (!extent->isFinite())
        return false;
    }
  return true;
}

/// Says what shows in the outputs. What goes from program to program shows in what these make of it, as it does inside
/// of one program: nobody touches it until something that is not finite has come out.
absl::StatusOr<Trouble> Judge::ofOutputs(absl::Span<const Argument> inputs, absl::Span<const Argument> outputs) {
  if (policy == NumericPolicy::Off || policy == NumericPolicy::Clamp)
    return Trouble();
  for (const Argument &output : outputs) {
    auto isFinite = areFinite({&output, 1}, !isLooking);
    if (isFinite.ok() && *isFinite)
      continue;
    auto wereFinite = isFinite.ok() ? areFinite(inputs, false) : isFinite;
    if (!wereFinite.ok())
      return wereFinite.status();
    if (*wereFinite)
      return Trouble{absl::StrCat(output.port->name, " infinite"),
                     absl::StrCat("output ", output.port->name, " is not finite, though all inputs are")};
    // A program before may have made it.
    isLooking |=
        std::any_of(inputs.begin(), inputs.end(), [](const Argument &input) { return input.value->isComputed; });
    break;
  }
  return Trouble();
}

} // namespace ane::rt
