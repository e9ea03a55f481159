//===- json_text.h - JSON texts of others -----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_JSON_TEXT_H
#define ANE_RUNTIME_SUPPORT_JSON_TEXT_H

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/quote.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ane::rt {

/// The value of a text, by one of the types of nlohmann's library. InvalidArgument for a text that is no JSON, with the
/// place, and for one that is nested deeper than `maxDepth`: what goes through a value calls itself for each level.
/// Messages begin with `name` and end with `remedy`, which begins with its separator.
template <typename Json>
absl::StatusOr<Json> parseJsonText(std::string_view text, const std::string &name, int maxDepth,
                                   const std::string &remedy) {
  auto wrong = [&](const auto &...what) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", what..., remedy));
  };
  auto tooDeep = [&] { return wrong("is nested deeper than ", maxDepth); };
  bool isDeep = false;
  try {
    Json json = Json::parse(text.begin(), text.end(), [&](int depth, typename Json::parse_event_t, Json &) {
      return !(isDeep |= depth > maxDepth);
    });
    if (isDeep)
      return tooDeep();
    return json;
  } catch (const typename Json::parse_error &problem) {
    if (isDeep)
      return tooDeep();
    std::string_view read = text.substr(0, problem.byte == 0 ? 0 : problem.byte - 1); // bytes are counted from 1
    return wrong("is no JSON text: can't be read from line ", 1 + std::count(read.begin(), read.end(), '\n'),
                 ", column ", read.size() - (read.rfind('\n') + 1) + 1);
  } catch (const typename Json::exception &problem) {
    return wrong("is no JSON text: ", quote(problem.what()));
  }
}

/// The same of a text that must be an object.
template <typename Json>
absl::StatusOr<Json> parseJsonObject(std::string_view text, const std::string &name, int maxDepth,
                                     const std::string &remedy) {
  absl::StatusOr<Json> json = parseJsonText<Json>(text, name, maxDepth, remedy);
  if (json.ok() && !json->is_object())
    return absl::InvalidArgumentError(absl::StrCat(name, ": is no JSON object", remedy));
  return json;
}

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_JSON_TEXT_H
