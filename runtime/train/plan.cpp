//===- plan.cpp - What training will take ---------------------------------===//
#include "runtime/train/plan.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/format/manifest/memory.h"
#include "runtime/format/manifest/weights.h"
#include "runtime/train/trainer.h"
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

namespace ane::rt::train {
namespace {

using manifest::Manifest;
using Step = manifest::Step;

const manifest::Function &functionOf(const Manifest &m, const std::string &name) {
  return *std::find_if(m.functions.begin(), m.functions.end(), [&](auto &f) { return f.name == name; });
}

bool isDeviceStep(const Step &step) { return step.kind == Step::Kind::Program; }

/// Bytes that a session copies into and out of surfaces in one run, as ane_copies counts them.
class Staging {
public:
  Staging(const Manifest &m, const manifest::Function &function, const std::set<int64_t> &weights)
      : m(m), procedures(m), weights(weights) {
    for (const manifest::Port &port : function.inputs)
      places[port.tensor].isDense = true;
    for (const manifest::Port &port : function.outputs)
      places[port.tensor].isSeen = true;
    for (const Step &step : function.steps)
      isDeviceStep(step) ? runProgram(step) : runHost(step);
  }

  int64_t ofWeights = 0, ofRest = 0;

private:
  struct Places {
    bool isDense = false, isSeen = false;
    std::vector<const manifest::Surface *> forms;
  };

  void copy(int64_t tensor) { (weights.count(tensor) ? ofWeights : ofRest) += byteCount(m.tensors[tensor].type); }

  void bringDense(int64_t tensor) {
    if (!places[tensor].isDense)
      copy(tensor);
    places[tensor].isDense = true;
  }

  void runHost(const Step &step) {
    for (int64_t tensor : step.inputs)
      bringDense(tensor);
    for (int64_t tensor : step.outputs)
      places[tensor].isDense = true;
  }

  void runProgram(const Step &step) {
    const manifest::Procedure &procedure = procedures.of(step);
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      auto &forms = places[step.inputs[i]].forms;
      const manifest::Surface *wanted = &procedure.inputs[i];
      if (std::any_of(forms.begin(), forms.end(), [&](auto *form) { return manifest::areAlike(*form, *wanted); }))
        continue;
      bringDense(step.inputs[i]);
      copy(step.inputs[i]);
      forms.push_back(wanted);
    }
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      places[step.outputs[i]].forms = {&procedure.outputs[i]};
      if (places[step.outputs[i]].isSeen)
        bringDense(step.outputs[i]);
    }
  }

  const Manifest &m;
  const manifest::Procedures procedures;
  const std::set<int64_t> &weights;
  std::map<int64_t, Places> places;
};

/// Bytes that the bundle's files hold of a baked parameter, of each form that `counts`.
int64_t storedBytes(const Manifest &m, const std::string &name,
                    const std::function<bool(const manifest::StoredWeight &)> &counts) {
  int64_t bytes = 0;
  for (const manifest::StoredWeight &stored : (*manifest::findWeight(m, name))->stored)
    bytes += counts(stored) ? stored.bytes : 0;
  return bytes;
}

/// Bytes of the files that a session of `function` maps: weights of CPU code and, on a device, of its programs.
int64_t mappedBytesOf(const Manifest &m, const manifest::Function &function, bool onDevice) {
  std::set<std::string> paths;
  if (!m.hostLibraries.empty())
    paths.insert(m.hostWeights.begin(), m.hostWeights.end());
  for (const Step &step : function.steps)
    for (const manifest::Program &program : m.programs)
      if (onDevice && isDeviceStep(step) && program.name == step.target)
        paths.insert(program.weights.begin(), program.weights.end());
  int64_t bytes = 0;
  for (const manifest::File &file : m.files)
    bytes += paths.count(file.path) ? file.bytes : 0;
  return bytes;
}

/// Whether a step of `function`, of that kind, is one of `readers`.
bool isReadBy(const manifest::Function &function, Step::Kind kind, const std::vector<std::string> &readers) {
  return std::any_of(function.steps.begin(), function.steps.end(), [&](const Step &step) {
    return step.kind == kind && std::count(readers.begin(), readers.end(), step.target) != 0;
  });
}

/// A name with all numbers in one width, so that layers.9 is before layers.10.
std::string withWideNumbers(const std::string &name) {
  constexpr size_t kWidth = 20;
  std::string wide;
  for (size_t i = 0; i < name.size();) {
    size_t end = i;
    while (end < name.size() && absl::ascii_isdigit(static_cast<unsigned char>(name[end])))
      ++end;
    if (end == i) {
      wide += name[i++];
      continue;
    }
    wide.append(end - i < kWidth ? kWidth - (end - i) : 0, '0').append(name, i, end - i);
    i = end;
  }
  return wide;
}

/// By the step of the plan that makes them. Of one step the plan says no more; there the last names come first, since
/// layers are numbered and a backward pass begins with the last.
std::vector<size_t> gradientOrder(const manifest::Function &function, const Parameters &parameters) {
  std::map<int64_t, size_t> makers; // of tensors
  for (size_t i = 0; i < function.steps.size(); ++i)
    for (int64_t tensor : function.steps[i].outputs)
      makers.emplace(tensor, i);
  std::map<std::string, size_t> madeBy;
  for (const manifest::Port &port : function.outputs)
    if (auto maker = makers.find(port.tensor); maker != makers.end())
      madeBy.emplace(port.name, maker->second);
  std::vector<std::tuple<size_t, std::string, size_t>> keys; // the last is the parameter's place
  for (size_t i = 0; i < parameters.all().size(); ++i) {
    const std::string &name = parameters.all()[i].name;
    auto maker = madeBy.find(manifest::kGradient + name);
    keys.emplace_back(maker == madeBy.end() ? function.steps.size() : maker->second, withWideNumbers(name), i);
  }
  std::sort(keys.begin(), keys.end(), [](const auto &a, const auto &b) {
    return std::get<0>(a) != std::get<0>(b) ? std::get<0>(a) < std::get<0>(b) : std::get<1>(a) > std::get<1>(b);
  });
  std::vector<size_t> order;
  for (const auto &key : keys)
    order.push_back(std::get<2>(key));
  return order;
}

} // namespace

absl::StatusOr<TrainingFiles> openTraining(const std::string &path) {
  auto folder = Folder::open(path);
  if (!folder.ok())
    return folder.status();
  auto read = manifest::read(*folder);
  if (!read.ok())
    return read.status();
  if (!read->training)
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is a bundle that runs, not one that trains; compile the model with ane-compile --train"));
  return TrainingFiles{*std::move(folder), *std::move(read)};
}

std::string TrainingPlan::memoryText() const {
  std::string parts;
  for (auto [bytes, what] : {std::pair(weightBytes, "weights"),
                             {gradientBytes, "gradients"},
                             {momentBytes, "moments"},
                             {step.total() + bakedBytes, "the session"}})
    absl::StrAppend(&parts, parts.empty() ? "" : ", ", manifest::sizeText(bytes), " for ", what);
  return absl::StrCat(manifest::sizeText(arenaBytes() + step.total() + bakedBytes), " (", parts, ")",
                      mappedBytes != 0 ? absl::StrCat(", and ", manifest::sizeText(mappedBytes), " of mapped weights")
                                       : "");
}

absl::StatusOr<TrainingPlan> planTraining(const Manifest &m, const TrainerOptions &options, const std::string &device) {
  const manifest::Training &training = *m.training;
  const manifest::OptimizerPorts *ports = manifest::optimizerPorts(options.optimizer.kind);
  const manifest::Function &step = functionOf(m, training.step);
  // Each sweep's arrays are bound, which takes 64 bytes.
  if (training.sweep % 16 != 0)
    return absl::InvalidArgumentError(
        absl::StrCat("the bundle's sweeps have ", training.sweep, " elements, expected a multiple of 16"));
  TrainingPlan plan;
  std::vector<Parameter> list;
  std::set<int64_t> weights, bound;
  for (const manifest::TrainedParameter &parameter : training.parameters) {
    if (parameter.isBaked)
      list.push_back(
          {parameter.name, (*manifest::findWeight(m, parameter.name))->type.shape, parameter.decays, true, false});
    for (const manifest::Port &port : step.inputs)
      if (!parameter.isBaked && port.name == parameter.name) {
        list.push_back(
            {parameter.name, m.tensors[port.tensor].type.shape, parameter.decays, false, parameter.isStatistic});
        weights.insert(port.tensor);
      }
  }
  auto placed = Parameters::place(std::move(list), options.frozen, training.sweep);
  if (!placed.ok())
    return placed.status();
  plan.parameters = *std::move(placed);
  plan.gradientOrder = gradientOrder(step, plan.parameters);
  bound = weights;
  std::map<int64_t, int> shown;
  for (const manifest::Port &port : step.outputs)
    ++shown[port.tensor];
  for (const manifest::Port &port : step.outputs)
    if (const Parameter *parameter = port.name.rfind(manifest::kGradient, 0) == 0
                                         ? plan.parameters.find(port.name.substr(sizeof manifest::kGradient - 1))
                                         : nullptr;
        parameter && shown[port.tensor] > 1)
      plan.sharedGradients.insert(parameter->name);
    else if (parameter && !parameter->frozen)
      bound.insert(port.tensor);

  const int64_t trained = plan.parameters.trainedFloats() * int64_t(sizeof(float));
  plan.weightBytes = plan.parameters.weightFloats() * int64_t(sizeof(float));
  plan.gradientBytes = options.accumulate > 1 ? 2 * trained : trained;
  // Behind weight and gradient; an optimizer that is not known is refused where it is made.
  plan.momentBytes = ports ? static_cast<int64_t>(ports->arrays.size() - 2) * trained : 0;
  const bool onDevice = device != "cpu";
  auto lives = manifest::valueLives(m, step, [&](int64_t tensor) { return bound.count(tensor) != 0; });
  auto values = planMemory(lives.lives);
  if (!values.ok())
    return values.status();
  plan.step = manifest::runMemory(m, step, values->bytes, onDevice);
  plan.mappedBytes = mappedBytesOf(m, step, onDevice);
  // What only CPU code that stands in for programs reads is made where one is refused (ane_session_bind_weight).
  auto isKept = [&](const manifest::StoredWeight &stored) {
    return onDevice ? !stored.programs.empty() || isReadBy(step, Step::Kind::Host, stored.hostFunctions)
                    : !stored.hostFunctions.empty();
  };
  for (const Parameter &parameter : plan.parameters.all())
    if (parameter.isBaked && !parameter.frozen)
      plan.bakedBytes += storedBytes(m, parameter.name, isKept);
  if (!onDevice)
    return plan;
  plan.evaluations = options.accumulate * std::count_if(step.steps.begin(), step.steps.end(), isDeviceStep);
  Staging staging(m, step, weights);
  plan.stagedBytes = staging.ofWeights + options.accumulate * staging.ofRest;
  for (const Parameter &parameter : plan.parameters.all())
    if (parameter.isBaked && !parameter.frozen)
      plan.stagedBytes += storedBytes(m, parameter.name, [&](const manifest::StoredWeight &stored) {
        return isReadBy(step, Step::Kind::Program, stored.programs);
      });
  return plan;
}

} // namespace ane::rt::train
