//===- adapters.cpp - Consistency of a manifest's adapters ----------------===//
#include "runtime/format/manifest/diagnostic.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ane::rt::manifest {
namespace {

template <typename... Parts>
absl::Status fail(const std::string &where, const Parts &...parts) {
  return errorAt("$.adapters." + where, parts...);
}

/// What a session or a trainer can set.
std::map<std::string, TensorType> settable(const Manifest &m) {
  std::map<std::string, TensorType> types;
  if (!m.training) {
    for (const State &state : m.states)
      types[state.name] = state.type;
    return types;
  }
  std::set<std::string> parameters;
  for (const TrainedParameter &parameter : m.training->parameters)
    parameters.insert(parameter.name);
  for (const Function &function : m.functions)
    if (function.name == m.training->step)
      for (const Port &port : function.inputs)
        if (parameters.count(port.name))
          types[port.name] = m.tensors[port.tensor].type;
  return types;
}

class AdapterVerifier {
public:
  explicit AdapterVerifier(const Manifest &m) : m(m), adapters(*m.adapters), known(settable(m)) {}

  absl::Status run() {
    if (adapters.rank < 1 || adapters.rank > kMaxAdapterRank)
      return fail("rank", "is ", adapters.rank, ", expected 1 to ", kMaxAdapterRank);
    if (!std::isfinite(adapters.alpha) || adapters.alpha == 0)
      return fail("alpha", "is ", adapters.alpha, ", expected a number that is not 0");
    if (adapters.targets.empty())
      return fail("targets", "is empty; adapters stand beside layers of these names");
    for (size_t i = 0; i < adapters.targets.size(); ++i)
      ANE_RETURN_IF_ERROR(checkName(at("$.adapters.targets", i), adapters.targets[i]));
    if (adapters.pairs.empty())
      return fail("pairs", "is empty; there is no layer that has an adapter");
    for (size_t i = 0; i < adapters.pairs.size(); ++i)
      ANE_RETURN_IF_ERROR(checkPair(i));
    return m.training ? absl::OkStatus() : checkStates();
  }

private:
  absl::Status checkPair(size_t index) {
    const AdapterPair &pair = adapters.pairs[index];
    std::string where = at("pairs", index);
    ANE_RETURN_IF_ERROR(checkName("$.adapters." + where + ".layer", pair.layer));
    ANE_RETURN_IF_ERROR(checkName("$.adapters." + where + ".weight", pair.weight));
    if (index > 0 && adapters.pairs[index - 1].layer >= pair.layer)
      return fail(where + ".layer", quote(pair.layer), " stands behind ", quote(adapters.pairs[index - 1].layer),
                  "; pairs are in the order of their layers, each once");
    absl::StatusOr<TensorType> a = typeOf(where + ".a", pair.a), b = typeOf(where + ".b", pair.b);
    if (!a.ok() || !b.ok())
      return a.ok() ? b.status() : a.status();
    if (a->shape[0] != adapters.rank)
      return fail(where + ".a", quote(pair.a), " is ", typeText(*a), ", expected [", adapters.rank, ", inputs]");
    if (b->shape[1] != adapters.rank)
      return fail(where + ".b", quote(pair.b), " is ", typeText(*b), ", expected [outputs, ", adapters.rank, "]");
    if (pair.heads < 0 || (pair.heads > 0 && b->shape[0] % (2 * pair.heads) != 0))
      return fail(where + ".heads", "is ", pair.heads, ", which does not cut the ", b->shape[0],
                  " outputs into heads of pairs");
    return absl::OkStatus();
  }

  absl::StatusOr<TensorType> typeOf(const std::string &where, const std::string &name) {
    if (!used.insert(name).second)
      return fail(where, quote(name), " is a matrix of two layers");
    auto found = known.find(name);
    if (found == known.end())
      return fail(where, quote(name), m.training ? " is no parameter" : " is no state", " of the bundle");
    const TensorType &type = found->second;
    if (type.dtype != ElementType::Float32 || type.shape.size() != 2 || elementCount(type.shape) == 0)
      return fail(where, quote(name), " is ", typeText(type), ", expected a matrix of float32");
    return type;
  }

  /// What a session has set stays.
  absl::Status checkStates() const {
    for (const Function &function : m.functions)
      for (const StateUse &use : function.states)
        if (use.read != use.write && used.count(m.states[use.state].name))
          return fail("pairs", "function ", quote(function.name), " changes ", quote(m.states[use.state].name),
                      ", which is an adapter's");
    for (const State &state : m.states)
      if (!state.file.empty() && used.count(state.name))
        return fail("pairs", quote(state.name), " begins with a value of ", quote(state.file),
                    "; an adapter's states begin with zeros");
    return absl::OkStatus();
  }

  const Manifest &m;
  const Adapters &adapters;
  std::map<std::string, TensorType> known;
  std::set<std::string> used;
};

} // namespace

std::vector<AdapterTypes> adapterTypes(const Manifest &m) {
  std::map<std::string, TensorType> known = settable(m);
  std::vector<AdapterTypes> types;
  for (const AdapterPair &pair : m.adapters->pairs)
    types.push_back({known.at(pair.a), known.at(pair.b)});
  return types;
}

std::set<size_t> adapterStates(const Manifest &m) {
  std::set<std::string> names;
  if (m.adapters)
    for (const AdapterPair &pair : m.adapters->pairs)
      names.insert({pair.a, pair.b});
  std::set<size_t> states;
  for (size_t i = 0; i < m.states.size(); ++i)
    if (names.count(m.states[i].name))
      states.insert(i);
  return states;
}

absl::Status verifyAdapters(const Manifest &m) { return m.adapters ? AdapterVerifier(m).run() : absl::OkStatus(); }

} // namespace ane::rt::manifest
