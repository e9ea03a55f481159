//===- optimizer.cpp - Updates of weights ---------------------------------===//
#include "runtime/train/optimizer.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/support/quote.h"
#include <algorithm>
#include <cmath>

namespace ane::rt::train {
namespace {

absl::StatusOr<const manifest::OptimizerPorts *> portsOf(const std::string &kind) {
  if (const manifest::OptimizerPorts *ports = manifest::optimizerPorts(kind))
    return ports;
  return absl::InvalidArgumentError(absl::StrCat("optimizer is ", quote(kind), ", expected one of ",
                                                 absl::StrJoin(manifest::optimizerKinds(), ", ")));
}

bool has(const manifest::OptimizerPorts &ports, std::string_view scalar) {
  return std::find(ports.scalars.begin(), ports.scalars.end(), scalar) != ports.scalars.end();
}

absl::Status checkNumbers(const manifest::OptimizerPorts &ports, const OptimizerOptions &options) {
  auto wrong = [&](const auto &...what) {
    return absl::InvalidArgumentError(absl::StrCat("optimizer ", options.kind, ": ", what...));
  };
  struct Given {
    const char *name;
    const std::optional<double> &value;
    bool isBelowOne;
  };
  for (const Given &given : {Given{"beta1", options.beta1, true}, Given{"beta2", options.beta2, true},
                             Given{"epsilon", options.epsilon, false}, Given{"momentum", options.momentum, true}}) {
    if (given.value && !has(ports, given.name))
      return wrong("has no ", given.name);
    double value = given.value.value_or(0);
    if (!(value >= 0) || !std::isfinite(value) || (given.isBelowOne && value >= 1))
      return wrong(given.name, " is ", value, ", expected ", given.isBelowOne ? "0 to less than 1" : "0 or more");
  }
  if (!(options.decay >= 0) || !std::isfinite(options.decay))
    return wrong("weight decay is ", options.decay, ", expected 0 or more");
  return absl::OkStatus();
}

} // namespace

absl::Status Optimizer::check(const OptimizerOptions &options) {
  auto ports = portsOf(options.kind);
  return ports.ok() ? checkNumbers(**ports, options) : ports.status();
}

absl::StatusOr<Optimizer> Optimizer::create(const BundleHandle &bundle, const manifest::Training &training,
                                            const Parameters &parameters, const OptimizerOptions &options) {
  if (absl::Status s = check(options); !s.ok())
    return s;
  const manifest::OptimizerPorts &ports = *manifest::optimizerPorts(options.kind);
  auto record = std::find_if(training.optimizers.begin(), training.optimizers.end(),
                             [&](const manifest::Optimizer &o) { return o.kind == options.kind; });
  if (record == training.optimizers.end()) {
    std::string kinds;
    for (const manifest::Optimizer &other : training.optimizers)
      absl::StrAppend(&kinds, kinds.empty() ? "" : ", ", other.kind);
    return absl::NotFoundError(absl::StrCat("the bundle has no optimizer ", options.kind, "; it was compiled with ",
                                            kinds.empty() ? "none" : kinds));
  }
  auto function = Function::open(bundle, record->function);
  if (!function.ok())
    return function.status();
  Optimizer result;
  result.options = options;
  result.options.beta1 = options.beta1.value_or(0.9);
  result.options.beta2 = options.beta2.value_or(options.kind == "lion" ? 0.99 : 0.999);
  result.options.epsilon = options.epsilon.value_or(1e-8);
  result.options.momentum = options.momentum.value_or(0);
  result.function = *std::move(function);
  result.groups.assign(parameters.groups().begin(), parameters.groups().end());
  result.sweep = parameters.sweep();
  // Behind weight and gradient.
  for (size_t i = 2; i < ports.arrays.size(); ++i) {
    const char *name = ports.arrays[i];
    auto arena = Arena::map(parameters.trainedFloats(), absl::StrCat("moments ", quote(name), " of ", options.kind));
    if (!arena.ok())
      return arena.status();
    result.momentList.push_back({name, *std::move(arena)});
  }
  if (absl::Status s = result.findPorts(ports); !s.ok())
    return s;
  return result;
}

std::map<std::string, double> Optimizer::hyperParameters() const {
  std::map<std::string, double> result = {{"decay", options.decay}};
  const manifest::OptimizerPorts &ports = *manifest::optimizerPorts(options.kind);
  for (auto [name, value] : {std::pair("beta1", &options.beta1),
                             {"beta2", &options.beta2},
                             {"epsilon", &options.epsilon},
                             {"momentum", &options.momentum}})
    if (has(ports, name))
      result[name] = **value;
  return result;
}

absl::Status Optimizer::findPorts(const manifest::OptimizerPorts &ports) {
  auto find = [&](const std::vector<Port> &all, const std::vector<const char *> &names, int64_t floats,
                  std::vector<const Port *> &found) {
    absl::Status status;
    for (const char *name : names) {
      auto port = function.need(all, name, floats, "optimizer " + options.kind);
      status.Update(port.status());
      found.push_back(port.value_or(nullptr));
    }
    return status;
  };
  absl::Status status = find(function.inputs(), ports.arrays, sweep, arrays);
  status.Update(find(function.inputs(), ports.scalars, 1, scalars));
  status.Update(find(function.outputs(), ports.outputs, sweep, outputs));
  return status;
}

absl::Status Optimizer::setScalars(double gradientScale, double rate, bool decays, int64_t t) {
  const double beta1 = *options.beta1, beta2 = *options.beta2;
  // Of the numbers that the sweep has: 1 - beta2 differs by 1e-5 between 0.999 and the nearest float.
  auto correction = [&](float beta) { return 1 / (1 - std::pow(static_cast<double>(beta), static_cast<double>(t))); };
  const std::pair<const char *, double> known[] = {{"gradient_scale", gradientScale},
                                                   {"rate", rate},
                                                   {"decay", decays ? options.decay : 0},
                                                   {"beta1", beta1},
                                                   {"beta2", beta2},
                                                   {"epsilon", *options.epsilon},
                                                   {"momentum", *options.momentum},
                                                   {"correction1", correction(static_cast<float>(beta1))},
                                                   {"correction2", correction(static_cast<float>(beta2))}};
  for (const Port *port : scalars) {
    auto scalar = std::find_if(std::begin(known), std::end(known), [&](auto &one) { return port->name == one.first; });
    if (scalar == std::end(known))
      return absl::InternalError(absl::StrCat("optimizer ", options.kind, ": ", port->name, " is unknown"));
    const float value = static_cast<float>(scalar->second);
    if (absl::Status s = function.set(*port, &value); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

absl::Status Optimizer::bindArrays(float *weights, const float *gradients, int64_t at) {
  absl::Status status = function.bind(*arrays[1], gradients + at, /*isConstant=*/false);
  for (size_t i = 0; i < outputs.size() && status.ok(); ++i) {
    float *data = at + (i == 0 ? weights : momentList[i - 1].values.data());
    status = function.bind(*arrays[i == 0 ? 0 : i + 1], data, /*isConstant=*/false);
    if (status.ok())
      status = function.bindOutput(*outputs[i], data);
  }
  return status;
}

absl::Status Optimizer::update(float *weights, const float *gradients, double gradientScale, double rate, int64_t t,
                               bool &isTorn) {
  for (const ParameterGroup &group : groups) {
    if (absl::Status s = setScalars(gradientScale, rate, group.decays, t); !s.ok())
      return s;
    for (int64_t at = group.begin; at < group.end; at += sweep) {
      if (absl::Status s = bindArrays(weights, gradients, at); !s.ok())
        return s;
      isTorn = true;
      if (absl::Status s = function.run(); !s.ok())
        return s;
    }
  }
  isTorn = false;
  return absl::OkStatus();
}

} // namespace ane::rt::train
