//===- executor_numeric.cpp - Values that fp16 does not hold --------------===//
//
// What happens to values inside of a program shows at its border only. Inputs are
// judged before it is evaluated, outputs behind, by where their elements are
// (Values::extentOf), which is looked for once for each value. Programs that
// follow each other are judged as one, until something that is not finite comes
// out of them: then the run begins anew and looks at each.
//
//===----------------------------------------------------------------------===//
#include "absl/strings/str_cat.h"
#include "runtime/core/executor.h"
#include <algorithm>
#include <utility>

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

Executor::Trouble Executor::troubleOf(const Argument &input, const Extent &extent) {
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
absl::StatusOr<Executor::Trouble> Executor::inputTrouble(const Step &step) {
  if (bundle->numeric() == NumericPolicy::Off || bundle->numeric() == NumericPolicy::Clamp)
    return Trouble();
  for (const Argument &input : step.surfaceInputs) {
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

absl::StatusOr<bool> Executor::areFinite(absl::Span<const Argument> surfaces, bool atBorder) {
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
absl::StatusOr<Executor::Trouble> Executor::outputTrouble(const Step &step) {
  if (bundle->numeric() == NumericPolicy::Off || bundle->numeric() == NumericPolicy::Clamp)
    return Trouble();
  for (const Argument &output : step.surfaceOutputs) {
    auto isFinite = areFinite({&output, 1}, !looksInside);
    if (isFinite.ok() && *isFinite)
      continue;
    auto wereFinite = isFinite.ok() ? areFinite(step.surfaceInputs, false) : isFinite;
    if (!wereFinite.ok())
      return wereFinite.status();
    if (*wereFinite)
      return Trouble{absl::StrCat(output.port->name, " infinite"),
                     absl::StrCat("output ", output.port->name, " is not finite, though all inputs are")};
    // A program before may have made it.
    looksInside |= std::any_of(step.surfaceInputs.begin(), step.surfaceInputs.end(),
                               [](const Argument &input) { return input.value->isComputed; });
    break;
  }
  return Trouble();
}

/// Computes this run's outputs of a program on the CPU if there is trouble. Later runs use the
/// device as before. False if there is none, and, with an event, if nobody wants that or there is no
/// CPU code.
absl::StatusOr<bool> Executor::rescue(Step &step, StepProfile &profile, const Trouble &trouble) {
  profile.device = bundle->deviceName();
  if (trouble.cause.empty())
    return false;
  Event event = {step.label(), bundle->deviceName(), "numeric", trouble.text, 1, trouble.cause};
  const bool isWanted = bundle->numeric() == NumericPolicy::Rescue;
  absl::Status status = absl::NotFoundError("no twin");
  if (isWanted && !step.evaluated().twin.empty())
    status = step.code ? absl::OkStatus() : prepareCode(bundle->hostFunction(step.evaluated().twin), step);
  const bool isRescued = isWanted && status.ok();
  if (isRescued) {
    if (absl::Status s = runCode(step); !s.ok())
      return s;
    profile.device = "cpu";
    ++profile.rescuedRuns;
  } else if (isWanted) {
    absl::StrAppend(&event.reason, "; its values stay, the CPU cannot run it: ", status.message());
  } else {
    event.reason += "; its values stay, as asked";
  }
  noteOnce(std::move(event));
  return isRescued;
}

/// Runs are many.
void Executor::noteOnce(Event event) {
  auto known = std::find_if(eventList.begin(), eventList.end(), [&](const Event &known) {
    return known.program == event.program && known.phase == event.phase && known.cause == event.cause &&
           (!event.cause.empty() || known.reason == event.reason);
  });
  event.lastRun = runNumber;
  if (known == eventList.end())
    note(std::move(event));
  else if (std::exchange(known->lastRun, runNumber) != runNumber)
    ++known->runs;
}

void Executor::note(Event event) {
  bundle->context().log().write(LogLevel::Warning, "program ", event.program, " on ", event.device, " (", event.phase,
                                "): ", event.reason);
  eventList.push_back(std::move(event));
}

} // namespace ane::rt
