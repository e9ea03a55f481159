//===- training.cpp - Consistency of a manifest's training ----------------===//
#include "absl/strings/str_join.h"
#include "runtime/format/manifest/diagnostic.h"
#include "runtime/format/manifest/weights.h"
#include <algorithm>
#include <map>
#include <set>

namespace ane::rt::manifest {
namespace {

const std::map<std::string, OptimizerPorts, std::less<>> &allPorts() {
  static const std::map<std::string, OptimizerPorts, std::less<>> ports = {
      {"adamw",
       {{"weight", "gradient", "first", "second"},
        {"gradient_scale", "rate", "decay", "beta1", "beta2", "epsilon", "correction1", "correction2"},
        {"weight_next", "first_next", "second_next"}}},
      {"lion",
       {{"weight", "gradient", "momentum_state"},
        {"gradient_scale", "rate", "decay", "beta1", "beta2"},
        {"weight_next", "momentum_state_next"}}},
      {"sgd",
       {{"weight", "gradient", "velocity"},
        {"gradient_scale", "rate", "decay", "momentum"},
        {"weight_next", "velocity_next"}}},
  };
  return ports;
}

/// One error about the value at `where` of $.training.
template <typename... Parts>
absl::Status fail(const std::string &where, const Parts &...parts) {
  return errorAt("$.training." + where, parts...);
}

class TrainingVerifier {
public:
  explicit TrainingVerifier(const Manifest &m) : m(m), training(*m.training) {}

  absl::Status run() {
    ANE_RETURN_IF_ERROR(checkLoss());
    ANE_RETURN_IF_ERROR(checkParameterNames());
    ANE_RETURN_IF_ERROR(checkStep());
    if (!training.evaluate.empty())
      ANE_RETURN_IF_ERROR(checkEvaluate());
    if (std::none_of(m.files.begin(), m.files.end(), [&](const File &f) { return f.path == training.weights; }))
      return fail("weights", quote(training.weights), " is not in $.files");
    return checkSweeps();
  }

private:
  /// Input or output name of a function to its type.
  using Ports = std::map<std::string, TensorType>;
  struct Signature {
    Ports inputs, outputs;
  };

  absl::StatusOr<Signature> signatureOf(const std::string &where, const std::string &name) const {
    for (const Function &function : m.functions) {
      if (function.name != name)
        continue;
      Signature signature;
      for (const Port &port : function.inputs)
        signature.inputs[port.name] = m.tensors[port.tensor].type;
      for (const Port &port : function.outputs)
        signature.outputs[port.name] = m.tensors[port.tensor].type;
      return signature;
    }
    return fail(where, quote(name), " is no function of the bundle");
  }

  static absl::StatusOr<TensorType> typeOf(const std::string &where, const std::string &function, const Ports &ports,
                                           const char *kind, const std::string &name) {
    auto found = ports.find(name);
    if (found == ports.end())
      return fail(where, "function ", quote(function), " has no ", kind, " ", quote(name));
    return found->second;
  }

  static absl::Status checkOne(const std::string &where, const std::string &function, const Ports &ports,
                               const char *kind, const std::string &name) {
    absl::StatusOr<TensorType> type = typeOf(where, function, ports, kind, name);
    if (!type.ok())
      return type.status();
    if (type->dtype != ElementType::Float32 || elementCount(type->shape) != 1)
      return fail(where, kind, " ", quote(name), " of function ", quote(function), " is ", typeText(*type),
                  ", expected a float32 with one element");
    return absl::OkStatus();
  }

  absl::Status checkLoss() const {
    static const char *const known[] = {"cross-entropy", "mse", "bce", "contrastive", "model"};
    if (std::none_of(std::begin(known), std::end(known), [&](const char *name) { return training.loss == name; }))
      return fail("loss", "is ", quote(training.loss), ", known are ", absl::StrJoin(known, ", "));
    if (training.loss == "model" && !training.target.empty())
      return fail("target", "is ", quote(training.target), ", but a loss that the model computes takes no target");
    if (training.loss != "model" && training.loss != "contrastive" && training.target.empty())
      return fail("target", "is empty; a loss of ", training.loss, " has one");
    return absl::OkStatus();
  }

  absl::Status checkParameterNames() const {
    if (std::all_of(training.parameters.begin(), training.parameters.end(), [](auto &p) { return p.isStatistic; }))
      return fail("parameters", "is empty; there is nothing to train");
    if (training.classes < 0)
      return fail("classes", "is ", training.classes, ", expected 0 or more");
    for (size_t i = 0; i < training.parameters.size(); ++i) {
      const std::string &name = training.parameters[i].name;
      std::string where = at("parameters", i) + ".name";
      ANE_RETURN_IF_ERROR(checkName("$.training." + where, name));
      if (i > 0 && training.parameters[i - 1].name >= name)
        return fail(where, quote(name), " stands behind ", quote(training.parameters[i - 1].name),
                    "; parameters are in the order of their names, each once");
      if (name == training.target || name == training.lossScale)
        return fail(where, quote(name), " is the name of the target or of the loss scale");
    }
    if (training.target == training.lossScale)
      return fail("loss_scale", "is ", quote(training.lossScale), " as the target is; they are two inputs");
    return absl::OkStatus();
  }

  /// A weight of the bundle, which can have any value that a gradient step gives it.
  absl::StatusOr<TensorType> checkBaked(const std::string &where, const std::string &name) const {
    auto found = findWeight(m, name);
    if (!found.ok())
      return fail(where, "is baked, but ", quote(name), " is no weight of the bundle");
    const Weight &weight = **found;
    if (!weight.trainable || weight.type.dtype != ElementType::Float32)
      return fail(where, "is baked, but weight ", quote(name), " is ", typeText(weight.type),
                  weight.trainable ? "" : " and not trainable", ", expected a trainable float32");
    return weight.type;
  }

  /// Parameters, data and target as inputs of `step` and `evaluate`.
  absl::Status checkInputs(const std::string &where, const std::string &function, const Ports &inputs) const {
    std::set<std::string> others = {training.lossScale};
    for (size_t i = 0; i < training.parameters.size(); ++i) {
      const auto &[name, decays, isBaked, isStatistic] = training.parameters[i];
      if (isBaked && inputs.count(name))
        return fail(at("parameters", i), "is baked, and ", quote(name), " is an input of function ", quote(function),
                    ", too; it is one of both");
      absl::StatusOr<TensorType> type = isBaked ? checkBaked(at("parameters", i), name)
                                                : typeOf(at("parameters", i), function, inputs, "input", name);
      if (!type.ok())
        return type.status();
      if (type->dtype != ElementType::Float32)
        return fail(at("parameters", i), "input ", quote(name), " of function ", quote(function), " is ",
                    typeText(*type), ", expected float32");
      if (elementCount(type->shape) == 0)
        return fail(at("parameters", i), isBaked ? "weight " : "input ", quote(name), " of function ", quote(function),
                    " is ", typeText(*type), ", which has no element to train");
      others.insert(name);
    }
    if (!training.target.empty()) {
      absl::StatusOr<TensorType> type = typeOf("target", function, inputs, "input", training.target);
      if (!type.ok())
        return type.status();
      if (training.loss == "cross-entropy" && type->dtype != ElementType::Int32 && type->dtype != ElementType::Int64)
        return fail("target", "input ", quote(training.target), " of function ", quote(function), " is ",
                    typeText(*type), ", expected int32 or int64: classes");
    }
    return checkBatch(where, function, inputs, others);
  }

  static absl::Status checkBatch(const std::string &where, const std::string &function, const Ports &inputs,
                                 const std::set<std::string> &others) {
    const std::pair<const std::string, TensorType> *first = nullptr;
    for (const auto &input : inputs) {
      if (others.count(input.first))
        continue;
      const auto &[name, type] = input;
      if (type.shape.empty() || elementCount(type.shape) == 0)
        return fail(where, "input ", quote(name), " of function ", quote(function), " is ", typeText(type),
                    "; axis 0 of data and target is the batch, and each example has elements");
      if (first && first->second.shape[0] != type.shape[0])
        return fail(where, "input ", quote(name), " of function ", quote(function), " is ", typeText(type), " and ",
                    quote(first->first), " ", typeText(first->second), "; axis 0 of data and target is the batch");
      first = first ? first : &input;
    }
    return first ? absl::OkStatus() : fail(where, "function ", quote(function), " takes no data");
  }

  absl::Status checkStep() {
    absl::StatusOr<Signature> found = signatureOf("step", training.step);
    if (!found.ok())
      return found.status();
    step = *std::move(found);
    ANE_RETURN_IF_ERROR(checkOne("loss_scale", training.step, step.inputs, "input", training.lossScale));
    ANE_RETURN_IF_ERROR(checkInputs("step", training.step, step.inputs));
    ANE_RETURN_IF_ERROR(checkOne("step", training.step, step.outputs, "output", "loss"));
    if (step.outputs.count(kLossShare))
      ANE_RETURN_IF_ERROR(checkOne("step", training.step, step.outputs, "output", kLossShare));
    for (size_t i = 0; i < training.parameters.size(); ++i) {
      const std::string &name = training.parameters[i].name;
      std::string gradient = (training.parameters[i].isStatistic ? kNext : kGradient) + name;
      absl::StatusOr<TensorType> type = typeOf(at("parameters", i), training.step, step.outputs, "output", gradient);
      if (!type.ok())
        return type.status();
      const TensorType wanted =
          training.parameters[i].isBaked ? *checkBaked(at("parameters", i), name) : step.inputs[name];
      if (!(*type == wanted))
        return fail(at("parameters", i), "output ", quote(gradient), " of function ", quote(training.step), " is ",
                    typeText(*type), ", but the parameter ", typeText(wanted));
    }
    return absl::OkStatus();
  }

  /// `evaluate` takes what `step` takes, but no loss scale.
  absl::Status checkEvaluate() const {
    absl::StatusOr<Signature> found = signatureOf("evaluate", training.evaluate);
    if (!found.ok())
      return found.status();
    for (const auto &[name, type] : step.inputs) {
      if (name == training.lossScale)
        continue;
      absl::StatusOr<TensorType> other = typeOf("evaluate", training.evaluate, found->inputs, "input", name);
      if (!other.ok())
        return other.status();
      if (!(*other == type))
        return fail("evaluate", "input ", quote(name), " of function ", quote(training.evaluate), " is ",
                    typeText(*other), ", but that of function ", quote(training.step), " ", typeText(type));
    }
    for (const auto &[name, type] : found->inputs)
      if (name == training.lossScale || !step.inputs.count(name))
        return fail("evaluate", "function ", quote(training.evaluate), " takes ", quote(name),
                    "; it takes the data, the target and the parameters of ", quote(training.step));
    return checkOne("evaluate", training.evaluate, found->outputs, "output", "loss");
  }

  /// A function has these ports and no others.
  absl::Status checkPorts(const std::string &where, const std::string &function, const char *kind, const Ports &ports,
                          const std::map<std::string, int64_t> &expected) const {
    for (const auto &[name, size] : expected) {
      absl::StatusOr<TensorType> type = typeOf(where, function, ports, kind, name);
      if (!type.ok())
        return type.status();
      TensorType wanted{ElementType::Float32, {size}};
      if (!(*type == wanted))
        return fail(where, kind, " ", quote(name), " of function ", quote(function), " is ", typeText(*type),
                    ", expected ", typeText(wanted));
    }
    for (const auto &[name, type] : ports)
      if (!expected.count(name))
        return fail(where, "function ", quote(function), " has ", kind, " ", quote(name),
                    ", which nothing is bound to");
    return absl::OkStatus();
  }

  absl::Status checkSweep(const std::string &where, const std::string &function,
                          const std::map<std::string, int64_t> &inputs,
                          const std::map<std::string, int64_t> &outputs) const {
    absl::StatusOr<Signature> found = signatureOf(where, function);
    if (!found.ok())
      return found.status();
    ANE_RETURN_IF_ERROR(checkPorts(where, function, "input", found->inputs, inputs));
    return checkPorts(where, function, "output", found->outputs, outputs);
  }

  absl::Status checkSweeps() const {
    int64_t sweep = training.sweep;
    if (sweep < 1 || sweep > kMaxElements)
      return fail("sweep", "is ", sweep, ", expected 1 to ", kMaxElements, " elements");
    if (training.optimizers.empty())
      return fail("optimizers", "is empty; nothing updates the parameters");
    std::set<std::string> seen;
    for (size_t i = 0; i < training.optimizers.size(); ++i) {
      const Optimizer &optimizer = training.optimizers[i];
      std::string where = at("optimizers", i);
      const OptimizerPorts *ports = optimizerPorts(optimizer.kind);
      if (!ports)
        return fail(where + ".kind", "is ", quote(optimizer.kind), ", known are ",
                    absl::StrJoin(optimizerKinds(), ", "));
      if (!seen.insert(optimizer.kind).second)
        return fail(where + ".kind", quote(optimizer.kind), " occurs twice");
      std::map<std::string, int64_t> inputs, outputs;
      for (const char *name : ports->arrays)
        inputs[name] = sweep;
      for (const char *name : ports->scalars)
        inputs[name] = 1;
      for (const char *name : ports->outputs)
        outputs[name] = sweep;
      ANE_RETURN_IF_ERROR(checkSweep(where + ".function", optimizer.function, inputs, outputs));
    }
    ANE_RETURN_IF_ERROR(checkSweep("squares", training.squares, {{"gradient", sweep}}, {{"squares", 1}}));
    return checkSweep("add", training.add, {{"into", sweep}, {"from", sweep}}, {{"sum", sweep}});
  }

  const Manifest &m;
  const Training &training;
  Signature step;
};

} // namespace

const OptimizerPorts *optimizerPorts(std::string_view kind) {
  auto found = allPorts().find(kind);
  return found == allPorts().end() ? nullptr : &found->second;
}

std::vector<std::string> optimizerKinds() {
  std::vector<std::string> kinds;
  for (const auto &[kind, ports] : allPorts())
    kinds.push_back(kind);
  return kinds;
}

absl::Status verifyTraining(const Manifest &m) { return m.training ? TrainingVerifier(m).run() : absl::OkStatus(); }

} // namespace ane::rt::manifest
