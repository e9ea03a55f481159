//===- parameters.cpp - Where parameters lie in arenas --------------------===//
#include "runtime/train/parameters.h"
#include "absl/strings/str_cat.h"
#include "runtime/format/manifest/manifest.h"
#include "runtime/support/quote.h"
#include <algorithm>
#include <fnmatch.h>

namespace ane::rt::train {
namespace {

/// Sessions want 64 bytes (ane_session_bind_input).
constexpr int64_t kAlignment = 64 / sizeof(float);

int64_t roundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

absl::Status freeze(std::vector<Parameter> &list, const std::string &pattern) {
  bool any = false;
  for (Parameter &parameter : list)
    if (fnmatch(pattern.c_str(), parameter.name.c_str(), 0) == 0)
      any = parameter.frozen = true;
  if (any)
    return absl::OkStatus();
  std::string names;
  for (size_t i = 0; i < std::min<size_t>(list.size(), 5); ++i)
    absl::StrAppend(&names, i ? ", " : "", list[i].name);
  return absl::InvalidArgumentError(absl::StrCat("no parameter to freeze matches ", quote(pattern), "; of ",
                                                 list.size(), " the first are ", names,
                                                 "; * stands for any characters, ? for one"));
}

} // namespace

/// Where they end.
int64_t Parameters::put(const std::vector<Parameter *> &parameters, int64_t from) {
  for (Parameter *parameter : parameters) {
    parameter->offset = from;
    from = roundUp(from + parameter->elements, kAlignment);
  }
  return from;
}

absl::StatusOr<Parameters> Parameters::place(std::vector<Parameter> list, const std::vector<std::string> &frozen,
                                             int64_t sweep) {
  Parameters result;
  for (const std::string &pattern : frozen)
    if (absl::Status s = freeze(list, pattern); !s.ok())
      return s;
  result.list = std::move(list);
  result.sweepFloats = sweep;
  std::vector<Parameter *> kept, alike[2];
  for (Parameter &parameter : result.list) {
    parameter.frozen = parameter.frozen || parameter.isStatistic;
    parameter.elements = manifest::elementCount(parameter.shape);
    (parameter.frozen ? kept : alike[parameter.decays]).push_back(&parameter);
  }
  for (bool decays : {true, false}) {
    int64_t begin = result.trained;
    result.trained = roundUp(result.put(alike[decays], begin), sweep);
    if (result.trained != begin)
      result.groupList.push_back({begin, result.trained, decays});
  }
  result.total = result.put(kept, result.trained);
  if (result.trained == 0)
    return absl::InvalidArgumentError(
        absl::StrCat("all ", result.list.size(), " parameters are frozen; there is nothing to train"));
  return result;
}

const Parameter *Parameters::find(const std::string &name) const {
  auto found = std::find_if(list.begin(), list.end(), [&](const Parameter &p) { return p.name == name; });
  return found == list.end() ? nullptr : &*found;
}

} // namespace ane::rt::train
