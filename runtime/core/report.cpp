//===- report.cpp - What a bundle is, as JSON -----------------------------===//
//
// nlohmann's library writes the texts and numbers. Objects and lists are put
// together here: it cannot make or take apart its own where memory ends.
//
//===----------------------------------------------------------------------===//
#include "runtime/core/report.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/device/cpu/host_library.h"
#include <initializer_list>
#include <nlohmann/json.hpp>

namespace ane::rt {
namespace {

/// A text or a number.
template <typename T>
std::string scalar(const T &value) {
  using Json = nlohmann::json;
  // Names come from files and need not be UTF-8.
  return Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Keys need no escapes.
std::string object(std::initializer_list<std::pair<const char *, std::string>> members) {
  return absl::StrCat("{",
                      absl::StrJoin(members, ",",
                                    [](std::string *out, const auto &member) {
                                      absl::StrAppend(out, "\"", member.first, "\":", member.second);
                                    }),
                      "}");
}

template <typename T, typename Fn>
std::string list(const std::vector<T> &items, Fn &&print) {
  return absl::StrCat("[", absl::StrJoin(items, ",", [&](std::string *out, const T &item) { *out += print(item); }),
                      "]");
}

} // namespace

std::string bundleJson(const manifest::Manifest &manifest) {
  const manifest::Target &target = manifest.target;
  auto tensor = [](const std::string &name, const manifest::TensorType &type) {
    return object({{"name", scalar(name)},
                   {"dtype", scalar(numpyName(type.dtype))},
                   {"shape", list(type.shape, scalar<int64_t>)}});
  };
  auto port = [&](const manifest::Port &port) { return tensor(port.name, manifest.tensors[port.tensor].type); };
  auto weight = [&](const manifest::Weight &weight) { return tensor(weight.name, weight.type); };
  auto state = [&](const manifest::State &state) { return tensor(state.name, state.type); };
  auto use = [&](const manifest::StateUse &use) { return state(manifest.states[use.state]); };
  return object(
      {{"producer", scalar(manifest.producer)},
       {"target", object({{"chip", scalar(target.chip)},
                          {"route", scalar(target.route)},
                          {"os", scalar(target.os)},
                          {"opset", scalar(target.opset)},
                          {"strictness", scalar(target.strictness)}})},
       {"hosts",
        list(manifest.hostLibraries, [](const manifest::HostLibrary &library) { return scalar(nameOf(library)); })},
       {"programs", list(manifest.programs, [](const manifest::Program &program) { return scalar(program.name); })},
       {"weights", list(manifest.weights, weight)},
       {"functions", list(manifest.functions,
                          [&](const manifest::Function &function) {
                            return object({{"name", scalar(function.name)},
                                           {"inputs", list(function.inputs, port)},
                                           {"outputs", list(function.outputs, port)},
                                           {"states", list(function.states, use)}});
                          })},
       {"buckets", list(manifest.buckets,
                        [&](const manifest::Bucket &bucket) {
                          const manifest::Function &largest = manifest.functions[bucket.functions.back()];
                          auto open = [&](const std::vector<manifest::Port> &ports,
                                          const std::vector<std::vector<int64_t>> &axes) {
                            return list(ports, [&](const manifest::Port &port) {
                              manifest::TensorType type = manifest.tensors[port.tensor].type;
                              for (int64_t axis : axes[&port - ports.data()])
                                type.shape[axis] = -1;
                              return tensor(port.name, type);
                            });
                          };
                          return object({{"name", scalar(bucket.name)},
                                         {"dimension", scalar(bucket.dimension)},
                                         {"pads", bucket.padding != manifest::Padding::None ? "true" : "false"},
                                         {"sizes", list(bucket.sizes, scalar<int64_t>)},
                                         {"inputs", open(largest.inputs, bucket.inputs)},
                                         {"outputs", open(largest.outputs, bucket.outputs)},
                                         {"states", list(largest.states, use)}});
                        })},
       {"states", list(manifest.states, state)},
       {"adapters", manifest.adapters ? object({{"rank", scalar(manifest.adapters->rank)},
                                                {"alpha", scalar(manifest.adapters->alpha)},
                                                {"targets", list(manifest.adapters->targets, scalar<std::string>)}})
                                      : "null"}});
}

} // namespace ane::rt
