//===- gradients.cpp - Sums over gradients --------------------------------===//
#include "runtime/train/gradients.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include <algorithm>
#include <cmath>

namespace ane::rt::train {

absl::StatusOr<GradientSums> GradientSums::create(const BundleHandle &bundle, const manifest::Training &training,
                                                  const Parameters &parameters) {
  GradientSums result;
  result.sweep = parameters.sweep();
  result.floats = parameters.trainedFloats();
  auto open = [&](const std::string &name, Function &function) {
    auto opened = Function::open(bundle, name);
    if (opened.ok())
      function = *std::move(opened);
    return opened.status();
  };
  absl::Status status = open(training.squares, result.squaresFunction);
  if (status.ok())
    status = open(training.add, result.addFunction);
  if (!status.ok())
    return status;
  const Function &squares = result.squaresFunction, &add = result.addFunction;
  struct Wanted {
    const Port **port;
    const Function &function;
    const std::vector<Port> &ports;
    const char *name;
    int64_t floats;
  };
  for (const Wanted &want : {Wanted{&result.gradient, squares, squares.inputs(), "gradient", result.sweep},
                             Wanted{&result.sum, squares, squares.outputs(), "squares", 1},
                             Wanted{&result.into, add, add.inputs(), "into", result.sweep},
                             Wanted{&result.from, add, add.inputs(), "from", result.sweep},
                             Wanted{&result.added, add, add.outputs(), "sum", result.sweep}}) {
    auto found = want.function.need(want.ports, want.name, want.floats, "the trainer");
    if (!found.ok())
      return found.status();
    *want.port = *found;
  }
  return result;
}

absl::StatusOr<double> GradientSums::squares(const float *gradients) {
  double total = 0;
  for (int64_t at = 0; at < floats; at += sweep) {
    absl::Status status = squaresFunction.bind(*gradient, gradients + at, /*isConstant=*/false);
    if (status.ok())
      status = squaresFunction.run();
    if (!status.ok())
      return status;
    auto part = squaresFunction.scalar(*sum);
    if (!part.ok())
      return part.status();
    total += *part;
  }
  return total;
}

absl::Status GradientSums::add(float *to, const float *more) {
  for (int64_t at = 0; at < floats; at += sweep) {
    absl::Status status = addFunction.bind(*into, to + at, /*isConstant=*/false);
    if (status.ok())
      status = addFunction.bind(*from, more + at, /*isConstant=*/false);
    if (status.ok())
      status = addFunction.bindOutput(*added, to + at);
    if (status.ok())
      status = addFunction.run();
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

std::string describeNonFinite(const Parameters &parameters, absl::Span<const size_t> order, const float *gradients) {
  std::string first;
  int64_t count = 0, nan = 0, all = 0;
  for (size_t i : order) {
    const Parameter &parameter = parameters.all()[i];
    if (parameter.frozen)
      continue;
    const float *begin = gradients + parameter.offset, *end = begin + parameter.elements;
    auto isTrouble = [](float value) { return !std::isfinite(value); };
    all += parameter.elements;
    count += std::count_if(begin, end, isTrouble);
    nan += std::count_if(begin, end, [](float value) { return std::isnan(value); });
    if (!first.empty())
      continue;
    const float *found = std::find_if(begin, end, isTrouble);
    if (found == end)
      continue;
    std::vector<int64_t> place(parameter.shape.size());
    int64_t left = found - begin;
    for (size_t axis = place.size(); axis-- > 0; left /= parameter.shape[axis])
      place[axis] = left % parameter.shape[axis];
    first = absl::StrCat("the gradient of ", parameter.name, " is ", std::isnan(*found) ? "NaN" : "infinite", " at [",
                         absl::StrJoin(place, ", "), "]");
  }
  if (count > 1)
    absl::StrAppend(&first, ", the first of ", count, " elements of ", all);
  if (nan != 0 && nan != count)
    absl::StrAppend(&first, ", ", nan, " of them NaN");
  return first;
}

} // namespace ane::rt::train
