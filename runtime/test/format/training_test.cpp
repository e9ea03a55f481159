// The manifest's training: what it says is checked against the functions.
#include "runtime/format/manifest/manifest.h"
#include "gtest/gtest.h"
#include <functional>

namespace ane::rt::manifest {
namespace {

using Ports = std::vector<std::pair<std::string, TensorType>>;

/// Adds a function of one host step.
void addFunction(Manifest &m, const std::string &name, const Ports &inputs, const Ports &outputs) {
  HostFunction host{name, name, {}, {}, 0};
  Function function{name, {}, {}, {{Step::Kind::Host, name, {}, {}}}};
  auto add = [&](const Ports &ports, std::vector<TensorType> &types, std::vector<Port> &list,
                 std::vector<int64_t> &indices) {
    for (const auto &[port, type] : ports) {
      int64_t tensor = static_cast<int64_t>(m.tensors.size());
      m.tensors.push_back({name + "." + port, type});
      types.push_back(type);
      list.push_back({port, tensor});
      indices.push_back(tensor);
    }
  };
  add(inputs, host.inputs, function.inputs, function.steps[0].inputs);
  add(outputs, host.outputs, function.outputs, function.steps[0].outputs);
  m.hostFunctions.push_back(host);
  m.functions.push_back(function);
}

TensorType floats(std::vector<int64_t> shape) { return {ElementType::Float32, std::move(shape)}; }

/// A batch of 2 rows of 3 elements, a matrix and a vector; sweeps of 16 elements.
Manifest withTraining() {
  Manifest m;
  m.producer = "ane-compile 0.1";
  m.target = {"h16g", "in-memory", "macos-15", "ios18", "catalog"};
  m.files = {{"parameters.safetensors", 0, "99aa06d3014798d86001c324468d497f"}};
  TensorType matrix = floats({4, 3}), vector = floats({4}), target{ElementType::Int32, {2}};
  Ports data = {{"x", floats({2, 3})}, {"target", target}, {"bias", vector}, {"weight", matrix}};
  Ports step = data;
  step.push_back({"loss_scale", floats({1})});
  addFunction(m, "step", step, {{"loss", floats({})}, {"grad.bias", vector}, {"grad.weight", matrix}});
  addFunction(m, "evaluate", data, {{"loss", floats({})}});
  Training training{"step", "evaluate", "cross-entropy", "target", "loss_scale"};
  training.parameters = {{"bias", false}, {"weight", true}};
  training.weights = "parameters.safetensors";
  training.sweep = 16;
  for (const std::string &kind : optimizerKinds()) {
    const OptimizerPorts &ports = *optimizerPorts(kind);
    Ports inputs, outputs;
    for (const char *name : ports.arrays)
      inputs.push_back({name, floats({16})});
    for (const char *name : ports.scalars)
      inputs.push_back({name, floats({1})});
    for (const char *name : ports.outputs)
      outputs.push_back({name, floats({16})});
    addFunction(m, "sweep_" + kind, inputs, outputs);
    training.optimizers.push_back({kind, "sweep_" + kind});
  }
  addFunction(m, "squares", {{"gradient", floats({16})}}, {{"squares", floats({1})}});
  addFunction(m, "add", {{"into", floats({16})}, {"from", floats({16})}}, {{"sum", floats({16})}});
  training.squares = "squares";
  training.add = "add";
  m.training = training;
  return m;
}

TEST(Manifest, TrainingRoundTrips) {
  std::string text = print(withTraining());
  auto parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), text);
  const Training &training = *parsed->training;
  EXPECT_EQ(training.lossScale, "loss_scale");
  EXPECT_EQ(training.ignore, -100);
  EXPECT_FALSE(training.parameters[0].decays);
  EXPECT_EQ(training.parameters[1].name, "weight");
  EXPECT_EQ(training.sweep, 16);
  EXPECT_EQ(training.optimizers[2].function, "sweep_sgd");
  Manifest without = withTraining();
  without.training.reset();
  EXPECT_EQ(print(without).find("training"), std::string::npos);
}

/// A port of a function, by their names.
TensorType &typeOf(Manifest &m, const std::string &name) {
  for (Tensor &tensor : m.tensors)
    if (tensor.name == name)
      return tensor.type;
  ADD_FAILURE() << name;
  return m.tensors[0].type;
}

/// Sets a port's type, in the plan and in its host function.
void setType(Manifest &m, const std::string &function, const std::string &port, TensorType type) {
  typeOf(m, function + "." + port) = type;
  for (size_t f = 0; f < m.functions.size(); ++f) {
    if (m.functions[f].name != function)
      continue;
    for (size_t i = 0; i < m.functions[f].inputs.size(); ++i)
      if (m.functions[f].inputs[i].name == port)
        m.hostFunctions[f].inputs[i] = type;
    for (size_t i = 0; i < m.functions[f].outputs.size(); ++i)
      if (m.functions[f].outputs[i].name == port)
        m.hostFunctions[f].outputs[i] = type;
  }
}

/// Renames a function's input or output.
void rename(Manifest &m, const std::string &function, const std::string &port, const std::string &to) {
  for (Function &f : m.functions)
    if (f.name == function)
      for (std::vector<Port> *ports : {&f.inputs, &f.outputs})
        for (Port &p : *ports)
          if (p.name == port)
            p.name = to;
}

void expectRefused(const std::string &says, const std::function<void(Manifest &, Training &)> &change) {
  Manifest m = withTraining();
  change(m, *m.training);
  std::string message(verify(m).message());
  EXPECT_NE(message.find(says), std::string::npos) << says << " not in: " << message;
}

TEST(Manifest, TrainingNamesWhatIsThere) {
  using M = Manifest;
  using T = Training;
  expectRefused("$.training.step: \"s\" is no function", [](M &, T &t) { t.step = "s"; });
  expectRefused("$.training.evaluate: \"e\" is no function", [](M &, T &t) { t.evaluate = "e"; });
  expectRefused("$.training.squares: \"e\" is no function", [](M &, T &t) { t.squares = "e"; });
  expectRefused("$.training.add: \"\" is no function", [](M &, T &t) { t.add = ""; });
  expectRefused("$.training.optimizers[1].function: \"e\" is no", [](M &, T &t) { t.optimizers[1].function = "e"; });
  expectRefused("$.training.loss: is \"hinge\", known are cross-entropy", [](M &, T &t) { t.loss = "hinge"; });
  expectRefused("$.training.target: is empty", [](M &, T &t) { t.target = ""; });
  expectRefused("$.training.target: is \"target\", but", [](M &, T &t) { t.loss = "model"; });
  expectRefused("has no input \"labels\"", [](M &, T &t) { t.target = "labels"; });
  expectRefused("has no input \"scale\"", [](M &, T &t) { t.lossScale = "scale"; });
  expectRefused("weights: \"w\" is not in $.files", [](M &, T &t) { t.weights = "w"; });
  expectRefused("$.training.parameters: is empty", [](M &, T &t) { t.parameters.clear(); });
  expectRefused("$.training.parameters[1].name: \"bias\" stands behind \"weight\"",
                [](M &, T &t) { std::swap(t.parameters[0], t.parameters[1]); });
  expectRefused("has no input \"gain\"", [](M &, T &t) { t.parameters[0].name = "gain"; });
  expectRefused("has no output \"grad.weight\"", [](M &m, T &) { rename(m, "step", "grad.weight", "g"); });
  expectRefused("has no output \"loss\"", [](M &m, T &) { rename(m, "step", "loss", "l"); });
  expectRefused("function \"evaluate\" has no input \"x\"", [](M &m, T &) { rename(m, "evaluate", "x", "y"); });
  expectRefused("function \"evaluate\" has no output \"loss\"", [](M &m, T &) { rename(m, "evaluate", "loss", "l"); });
}

TEST(Manifest, TrainingHasTheTypesOfItsFunctions) {
  using M = Manifest;
  using T = Training;
  TensorType half{ElementType::Float16, {4}};
  expectRefused("input \"bias\" of function \"step\" is float16[4], expected float32",
                [&](M &m, T &) { setType(m, "step", "bias", half); });
  expectRefused("\"grad.weight\" of function \"step\" is float32[3,4], but the parameter float32[4,3]",
                [](M &m, T &) { setType(m, "step", "grad.weight", floats({3, 4})); });
  expectRefused("output \"loss\" of function \"step\" is float32[2], expected a float32 with one element",
                [](M &m, T &) { setType(m, "step", "loss", floats({2})); });
  expectRefused("\"loss_scale\" of function \"step\" is float16[1]",
                [](M &m, T &) { setType(m, "step", "loss_scale", {ElementType::Float16, {1}}); });
  expectRefused("\"target\" of function \"step\" is float32[2], expected int32 or int64",
                [](M &m, T &) { setType(m, "step", "target", floats({2})); });
  expectRefused("\"x\" of function \"step\" is float32[5,3] and \"target\" int32[2]; axis 0",
                [](M &m, T &) { setType(m, "step", "x", floats({5, 3})); });
  expectRefused("\"x\" of function \"step\" is float32[]", [](M &m, T &) { setType(m, "step", "x", floats({})); });
  expectRefused("input \"x\" of function \"evaluate\" is float32[2,4], but that of function \"step\" float32[2,3]",
                [](M &m, T &) { setType(m, "evaluate", "x", floats({2, 4})); });
  expectRefused("function \"step\" takes \"loss_scale\"; it takes the data", [](M &, T &t) { t.evaluate = "step"; });
}

TEST(Manifest, SweepsHaveTheInputsOfTheirKind) {
  using M = Manifest;
  using T = Training;
  expectRefused("$.training.sweep: is 0, expected 1", [](M &, T &t) { t.sweep = 0; });
  expectRefused("is float32[16], expected float32[17]", [](M &, T &t) { t.sweep = 17; });
  expectRefused("$.training.optimizers: is empty", [](M &, T &t) { t.optimizers.clear(); });
  expectRefused("optimizers[0].kind: is \"adam\", known are adamw, lion, sgd",
                [](M &, T &t) { t.optimizers[0].kind = "adam"; });
  expectRefused("optimizers[1].kind: \"adamw\" occurs twice", [](M &, T &t) { t.optimizers[1] = t.optimizers[0]; });
  expectRefused("function \"sweep_sgd\" has no input \"velocity\"",
                [](M &m, T &) { rename(m, "sweep_sgd", "velocity", "v"); });
  expectRefused("function \"sweep_lion\" has output \"more\", which nothing is bound to", [](M &m, T &) {
    for (size_t f = 0; f < m.functions.size(); ++f)
      if (m.functions[f].name == "sweep_lion") {
        Port port = m.functions[f].outputs[0];
        port.name = "more";
        m.functions[f].outputs.push_back(port);
      }
  });
  expectRefused("\"rate\" of function \"sweep_adamw\" is float32[16], expected float32[1]",
                [](M &m, T &) { setType(m, "sweep_adamw", "rate", floats({16})); });
  expectRefused("function \"add\" has no input \"gradient\"", [](M &, T &t) { t.squares = "add"; });
}

TEST(Manifest, TrainingNeedsNoEvaluation) {
  Manifest m = withTraining();
  m.training->evaluate = "";
  EXPECT_TRUE(verify(m).ok()) << verify(m);
}

} // namespace
} // namespace ane::rt::manifest
