//===- op_args.cpp - Arguments of one op, typed ---------------------------===//

#include "runtime/device/emulator/op_args.h"

#include "absl/strings/str_join.h"

#include <algorithm>

namespace ane::rt::emulator {
namespace {

absl::string_view view(std::string_view text) { return {text.data(), text.size()}; }

constexpr TypeSet kIntegers =
    kIndex | setOf(ElementType::UInt32) | setOf(ElementType::Int64) | setOf(ElementType::UInt64);
constexpr TypeSet kNumbers = kIntegers | kFloat | kBool;
constexpr TypeSet kStrings = setOf(ElementType::String);

} // namespace

std::string typeSetString(TypeSet types) {
  std::vector<std::string> names;
  for (unsigned i = 0; i <= static_cast<unsigned>(ElementType::String); ++i)
    if (types & (TypeSet(1) << i))
      names.emplace_back(milName(static_cast<ElementType>(i)));
  return absl::StrJoin(names, ", ");
}

const Argument *OpArgs::find(std::string_view name) const {
  for (const Argument &argument : arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

const Argument *OpArgs::take(std::string_view name, bool required) {
  taken.emplace(name);
  const Argument *argument = find(name);
  if (!argument && required)
    argumentError(name, "is missing");
  return argument;
}

void OpArgs::check(std::string_view name, const Operand &operand, TypeSet allowed, Empty empty) {
  if (!(setOf(operand.type.element) & allowed))
    argumentError(name, "is ", operand.type.str(), "; its element type must be one of: ", typeSetString(allowed));
  if (empty == Empty::Refused && operand.type.size() == 0)
    argumentError(name, "is ", operand.type.str(), ", which has no elements");
}

Operand OpArgs::single(std::string_view name, TypeSet allowed, bool required, Empty empty) {
  const Argument *argument = take(name, required);
  if (!argument)
    return {};
  if (argument->operands.size() != 1) {
    argumentError(name, "takes one value, not ", argument->operands.size());
    return {};
  }
  check(name, argument->operands.front(), allowed, empty);
  return ok() ? argument->operands.front() : Operand();
}

Operand OpArgs::known(std::string_view name, TypeSet allowed, bool required, Empty empty) {
  Operand operand = single(name, allowed, required, empty);
  if (operand.present() && !operand.constant) {
    argumentError(name, "must be a constant, but is computed at run time");
    return {};
  }
  if (operand.present())
    operand.constant->isUsed = true;
  return operand;
}

Operand OpArgs::input(std::string_view name, TypeSet allowed) { return single(name, allowed, /*required=*/true); }

Operand OpArgs::optionalInput(std::string_view name, TypeSet allowed) {
  return single(name, allowed, /*required=*/false);
}

std::vector<Operand> OpArgs::inputs(std::string_view name, TypeSet allowed) {
  const Argument *argument = take(name, /*required=*/true);
  if (!argument)
    return {};
  if (argument->operands.empty())
    argumentError(name, "must have at least one value");
  for (const Operand &operand : argument->operands)
    check(name, operand, allowed, Empty::Refused);
  return argument->operands;
}

Operand OpArgs::list(std::string_view name, TypeSet allowed) {
  return single(name, allowed, /*required=*/true, Empty::Allowed);
}

Operand OpArgs::constant(std::string_view name, TypeSet allowed) {
  return known(name, allowed, /*required=*/true, Empty::Refused);
}

Operand OpArgs::optionalConstant(std::string_view name, TypeSet allowed) {
  return known(name, allowed, /*required=*/false, Empty::Refused);
}

Operand OpArgs::constantList(std::string_view name, TypeSet allowed) {
  return known(name, allowed, /*required=*/true, Empty::Allowed);
}

std::optional<std::vector<int64_t>> OpArgs::optionalIntegers(std::string_view name) {
  Operand operand = known(name, kIntegers | kBool, /*required=*/false);
  if (!operand.present())
    return std::nullopt;
  const int32_t *values = operand.constant->ints();
  return std::vector<int64_t>(values, values + operand.type.size());
}

std::vector<int64_t> OpArgs::integers(std::string_view name) {
  if (!take(name, /*required=*/true))
    return {};
  return optionalIntegers(name).value_or(std::vector<int64_t>());
}

std::vector<int64_t> OpArgs::integers(std::string_view name, size_t count, int64_t otherwise) {
  std::optional<std::vector<int64_t>> values = optionalIntegers(name);
  if (!values)
    return std::vector<int64_t>(count, otherwise);
  if (values->size() != count) {
    argumentError(name, "has ", values->size(), " elements; ", count, " are needed");
    values->resize(count, otherwise);
  }
  return *values;
}

std::vector<bool> OpArgs::booleans(std::string_view name, size_t count) {
  std::vector<int64_t> values = integers(name, count, 0);
  return std::vector<bool>(values.begin(), values.end());
}

int64_t OpArgs::integer(std::string_view name) {
  if (!take(name, /*required=*/true))
    return 0;
  return integer(name, 0);
}

int64_t OpArgs::integer(std::string_view name, int64_t otherwise) {
  std::optional<std::vector<int64_t>> values = optionalIntegers(name);
  if (!values)
    return otherwise;
  if (values->size() != 1) {
    argumentError(name, "has ", values->size(), " elements; one is needed");
    return otherwise;
  }
  return values->front();
}

bool OpArgs::boolean(std::string_view name, bool otherwise) { return integer(name, otherwise) != 0; }

std::vector<float> OpArgs::reals(std::string_view name, TypeSet allowed) {
  Operand operand = known(name, allowed, /*required=*/true);
  if (!operand.present())
    return {};
  int64_t count = operand.type.size();
  if (!heldAsFloat(operand.type.element)) {
    const int32_t *values = operand.constant->ints();
    return std::vector<float>(values, values + count);
  }
  if (!operand.constant->elements) {
    argumentError(name, "is too large for a parameter");
    return {};
  }
  const float *values = operand.constant->floats();
  return std::vector<float>(values, values + count);
}

double OpArgs::real(std::string_view name) {
  std::vector<float> values = reals(name, kNumbers);
  if (ok() && values.size() != 1)
    argumentError(name, "has ", values.size(), " elements; one is needed");
  return values.empty() ? 0.0 : values.front();
}

double OpArgs::real(std::string_view name, double otherwise) {
  return has(name) ? real(name) : (taken.emplace(name), otherwise);
}

std::string OpArgs::string(std::string_view name) {
  Operand operand = known(name, kStrings, /*required=*/true);
  if (!operand.present() || operand.constant->strings.empty())
    return {};
  return operand.constant->strings.front();
}

std::string OpArgs::string(std::string_view name, std::string_view otherwise) {
  if (has(name))
    return string(name);
  taken.emplace(name);
  return std::string(otherwise);
}

int64_t OpArgs::axis(std::string_view name, int64_t rank, int64_t otherwise) {
  int64_t axis = integer(name, otherwise);
  if (axis < -rank || axis >= rank) {
    argumentError(name, "is ", axis, "; rank ", rank, " has axes ", -rank, " to ", rank - 1);
    return 0;
  }
  return axis < 0 ? axis + rank : axis;
}

int64_t OpArgs::axis(std::string_view name, int64_t rank) {
  if (!take(name, /*required=*/true))
    return 0;
  return axis(name, rank, 0);
}

std::vector<int64_t> OpArgs::axes(std::string_view name, int64_t rank) {
  std::vector<int64_t> result = integers(name);
  for (int64_t &axis : result) {
    if (axis < -rank || axis >= rank) {
      argumentError(name, "contains ", axis, "; rank ", rank, " has axes ", -rank, " to ", rank - 1);
      return {};
    }
    axis = axis < 0 ? axis + rank : axis;
  }
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    argumentError(name, "names an axis twice");
  return result;
}

std::vector<int64_t> OpArgs::axesOrAll(std::string_view name, int64_t rank) {
  if (has(name))
    return axes(name, rank);
  taken.emplace(name);
  std::vector<int64_t> all(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i)
    all[static_cast<size_t>(i)] = i;
  return all;
}

ElementType OpArgs::elementType(std::string_view name, TypeSet allowed, std::optional<ElementType> otherwise) {
  if (otherwise && !has(name)) {
    taken.emplace(name);
    return *otherwise;
  }
  std::string text = string(name);
  std::optional<ElementType> type = elementTypeFromName(text);
  if (ok() && (!type || !(setOf(*type) & allowed) || milName(*type) != text))
    argumentError(name, "is \"", text, "\"; it must be one of: ", typeSetString(allowed));
  return type.value_or(ElementType::Float16);
}

bool OpArgs::fits(const TensorType &inferred, size_t index) {
  if (ok() && inferred != declaredTypes[index])
    failure = absl::InvalidArgumentError(absl::StrCat(where, " gives ", inferred.str(),
                                                      index ? absl::StrCat(" as result ", index + 1) : "",
                                                      ", declared is ", declaredTypes[index].str()));
  return ok();
}

bool OpArgs::fitsCount(size_t results) {
  if (ok() && results != declaredTypes.size())
    failure = absl::InvalidArgumentError(
        absl::StrCat(where, " has ", results, " results, ", declaredTypes.size(), " are declared"));
  return ok();
}

absl::Status OpArgs::finish() {
  for (const Argument &argument : arguments)
    if (taken.find(argument.name) == taken.end())
      error("there is no argument '", view(argument.name), "'");
  return failure;
}

} // namespace ane::rt::emulator
