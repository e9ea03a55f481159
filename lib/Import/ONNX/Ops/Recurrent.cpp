//===- Recurrent.cpp - ONNX LSTM, GRU and RNN -----------------------------===//
//
// Layers that MIL's recurrent ops can say become those: a loop on the CPU, for they have no engine form (C39). The
// others (lengths, clip, parameters of activations, coupled gates) are unrolled; the product of all steps with the
// input weights stays one.
//
//===----------------------------------------------------------------------===//

#include "../Expr.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

namespace {

/// An activation function with its parameters.
struct Activation {
  std::string name;
  double alpha = 0, beta = 0;
};

/// The attributes and inputs that LSTM, GRU and RNN share. Shapes: S steps, B batch, D directions, H hidden units.
struct Layer {
  NodeBinder &n;
  Expr x;                          // [S, B, I]
  Value weights, recurrence, bias; // [D, gates H, I], [D, gates H, H], [D, 2 gates H] or null
  int64_t gates, hidden, directions;
  bool isReverse, batchFirst;
  std::optional<double> clip;
  SmallVector<Activation> activations; // per direction: as many as the op has functions
  std::optional<Expr> lengths;         // [B, 1]
};

} // namespace

/// Defaults of alpha and beta; nothing for unknown names.
static std::optional<Activation> activationOf(StringRef name) {
  static const std::pair<StringRef, Activation> known[] = {{"relu", {"relu"}},
                                                           {"tanh", {"tanh"}},
                                                           {"sigmoid", {"sigmoid"}},
                                                           {"affine", {"affine"}},
                                                           {"leakyrelu", {"leakyrelu", 0.01f}},
                                                           {"thresholdedrelu", {"thresholdedrelu", 1}},
                                                           {"scaledtanh", {"scaledtanh"}},
                                                           {"hardsigmoid", {"hardsigmoid", 0.2f, 0.5}},
                                                           {"elu", {"elu", 1}},
                                                           {"softsign", {"softsign"}},
                                                           {"softplus", {"softplus"}}};
  for (const auto &[key, activation] : known)
    if (name.equals_insensitive(key))
      return activation;
  return std::nullopt;
}

static Expr apply(const Activation &f, Expr x) {
  StringRef name = f.name;
  if (name == "relu")
    return x.make<ReluOp>();
  if (name == "tanh")
    return x.make<TanhOp>();
  if (name == "sigmoid")
    return x.make<SigmoidOp>();
  if (name == "affine")
    return x * f.alpha + f.beta;
  if (name == "leakyrelu")
    return x.make<LeakyReluOp>({}, {{"alpha", f.alpha}});
  if (name == "thresholdedrelu")
    return select(x >= f.alpha, x, 0.0);
  if (name == "scaledtanh")
    return (x * f.beta).make<TanhOp>() * f.alpha;
  if (name == "hardsigmoid")
    return x.make<SigmoidHardOp>({}, {{"alpha", f.alpha}, {"beta", f.beta}});
  if (name == "elu")
    return x.make<EluOp>({}, {{"alpha", f.alpha}});
  return name == "softsign" ? x.make<SoftsignOp>() : x.make<SoftplusOp>();
}

/// The names, alphas and betas of all directions; alphas and betas are taken in order by the functions that have them.
static SmallVector<Activation> readActivations(NodeBinder &n, int64_t directions, ArrayRef<StringRef> defaults) {
  SmallVector<Activation> result;
  std::optional<SmallVector<std::string>> names = n.stringsAttr("activations");
  SmallVector<double> alphas = n.floatsAttr("activation_alpha").value_or(SmallVector<double>());
  SmallVector<double> betas = n.floatsAttr("activation_beta").value_or(SmallVector<double>());
  size_t count = directions * defaults.size();
  if (names && names->size() != count) {
    n.error("attribute 'activations' has " + Twine(names->size()) + " entries, needs " + Twine(count));
    return result;
  }
  size_t nextAlpha = 0, nextBeta = 0;
  for (size_t i = 0; i < count; ++i) {
    StringRef name = names ? StringRef((*names)[i]) : defaults[i % defaults.size()];
    std::optional<Activation> activation = activationOf(name);
    if (!activation) {
      n.error("activation '" + name + "' is not supported");
      return result;
    }
    bool hasBeta = llvm::is_contained({"affine", "scaledtanh", "hardsigmoid"}, activation->name);
    bool hasAlpha = hasBeta || llvm::is_contained({"leakyrelu", "thresholdedrelu", "elu"}, activation->name);
    bool isFree = hasBeta && activation->name != "hardsigmoid";
    if (isFree && (nextAlpha >= alphas.size() || nextBeta >= betas.size())) {
      n.error("activation '" + name +
              "' needs an entry of 'activation_alpha' and of 'activation_beta': it has no defaults");
      return result;
    }
    if (hasAlpha && nextAlpha < alphas.size())
      activation->alpha = alphas[nextAlpha++];
    if (hasBeta && nextBeta < betas.size())
      activation->beta = betas[nextBeta++];
    result.push_back(*activation);
  }
  return result;
}

static std::optional<Layer> readLayer(NodeBinder &n, int64_t gates, ArrayRef<StringRef> defaults) {
  Layer layer{n, Expr(n, n.input(0)), n.input(1), n.input(2), n.optionalInput(3), gates, 0, 1, false, false, {}, {},
              {}};
  Value lengths = n.optionalInput(4);
  std::string direction = n.stringAttr("direction", "forward", {"forward", "reverse", "bidirectional"});
  layer.isReverse = direction == "reverse";
  layer.directions = direction == "bidirectional" ? 2 : 1;
  if (n.since() < 7)
    n.ignoreAttr("output_sequence"); // The node's list of outputs says so, too.
  layer.batchFirst = n.since() >= 14 && n.boolAttr("layout", false);
  if (n.hasAttr("clip"))
    layer.clip = n.floatAttr("clip");
  layer.activations = readActivations(n, layer.directions, defaults);
  if (!n)
    return std::nullopt;
  if (layer.x.rank() != 3 || n.rank(layer.weights) != 3 || n.rank(layer.recurrence) != 3) {
    n.error("X, W and R must have rank 3");
    return std::nullopt;
  }
  if (layer.batchFirst)
    layer.x = layer.x.transpose({1, 0, 2});
  int64_t inputs = layer.x.shape()[2], hidden = n.shape(layer.recurrence)[2], batch = layer.x.shape()[1];
  layer.hidden = hidden;
  auto expect = [&](Value value, StringRef name, ArrayRef<int64_t> shape) {
    if (value && n.shape(value) != shape) {
      std::string text;
      llvm::raw_string_ostream os(text);
      os << name << " is " << value.getType() << ", needs the shape ";
      llvm::interleave(shape, os, "x");
      n.error(text);
    }
  };
  expect(layer.weights, "W", {layer.directions, gates * hidden, inputs});
  expect(layer.recurrence, "R", {layer.directions, gates * hidden, hidden});
  expect(layer.bias, "B", {layer.directions, 2 * gates * hidden});
  expect(lengths, "sequence_lens", {batch});
  int64_t attribute = n.intAttr("hidden_size", hidden);
  if (attribute != hidden)
    n.error("attribute 'hidden_size' is " + Twine(attribute) + ", but R has " + Twine(hidden) + " columns");
  if (!n)
    return std::nullopt;
  // Lengths that cover all steps change nothing.
  int64_t steps = layer.x.shape()[0];
  DenseElementsAttr known = n.constantElements(lengths);
  if (lengths && !(known && llvm::all_of(known.getValues<APInt>(), [&](const APInt &l) { return l.sge(steps); })))
    layer.lengths = Expr(n, lengths).reshape({batch, 1});
  return layer;
}

/// What direction `d` of `value` [D, ...] holds.
static Expr ofDirection(NodeBinder &n, Value value, int64_t d) { return Expr(n, value).at(0, d); }

/// x W^T + bias for the rows of `x`.
static Expr project(Expr x, Expr weight, std::optional<Expr> bias) {
  NodeBinder &n = x.binder();
  return {n, n.emit<LinearOp>({Segment(x), Segment(weight), Segment::optional(bias ? Value(*bias) : Value())})};
}

/// The value [D, B, H] ([B, D, H] where the batch comes first) of input `index` for direction d; zeros without it.
static Expr initialState(Layer &layer, unsigned index, StringRef name, int64_t d) {
  NodeBinder &n = layer.n;
  int64_t batch = layer.x.shape()[1];
  SmallVector<int64_t> shape{layer.directions, batch, layer.hidden};
  if (layer.batchFirst)
    std::swap(shape[0], shape[1]);
  Value value = n.optionalInput(index);
  if (!value)
    return {n, n.splat(RankedTensorType::get({batch, layer.hidden}, layer.x.element()), 0)};
  if (n.shape(value) != ArrayRef<int64_t>(shape)) {
    n.error(name + " must have " + Twine(layer.directions) + " directions, " + Twine(batch) + " batch items and " +
            Twine(layer.hidden) + " hidden units");
    return {n, Value()};
  }
  return Expr(n, value).at(layer.batchFirst ? 1 : 0, d);
}

namespace {
using State = SmallVector<Expr, 2>;
/// The state after a step, from the input's part of the gates [B, gates H] and the state before.
using Step = function_ref<State(Expr gates, const State &before)>;
} // namespace

/// Runs the steps of direction `d`. Outputs get an item [B, H] for each step, in the order of x.
static State runDirection(Layer &layer, int64_t d, Expr projected, State state, SmallVectorImpl<Value> &outputs,
                          Step step) {
  NodeBinder &n = layer.n;
  int64_t steps = projected.shape()[0];
  bool backwards = layer.isReverse || d == 1;
  outputs.assign(steps, Value());
  for (int64_t i = 0; i < steps && n; ++i) {
    int64_t t = backwards ? steps - 1 - i : i;
    State next = step(projected.at(0, t), state);
    if (!layer.lengths) {
      state = next;
      outputs[t] = state[0];
      continue;
    }
    // Behind the end the state stands still, and the output is 0. Backwards, the state so starts at the end.
    Expr inside = *layer.lengths > double(t);
    outputs[t] = select(inside, next[0], 0.0);
    for (size_t k = 0; k < state.size(); ++k)
      state[k] = select(inside, next[k], state[k]);
  }
  return state;
}

/// Y [S, D, B, H], Y_h and Y_c [D, B, H]; with the batch first [B, S, D, H] and [B, D, H].
static void setResults(Layer &layer, ArrayRef<SmallVector<Value>> outputs, ArrayRef<State> states) {
  NodeBinder &n = layer.n;
  if (!n)
    return;
  auto stack = [&](ArrayRef<Value> values, int64_t axis) { return n.emit<StackOp>({values}, {{"axis", axis}}); };
  if (n.wantsResult(0)) {
    SmallVector<Value> sequences;
    for (ArrayRef<Value> items : outputs)
      sequences.push_back(stack(items, layer.batchFirst ? 1 : 0)); // [S, B, H] or [B, S, H]
    n.result(0, stack(sequences, layer.batchFirst ? 2 : 1));
  }
  for (size_t k = 0; k < states.front().size(); ++k) {
    SmallVector<Value> last;
    for (const State &state : states)
      last.push_back(state[k]);
    if (n.wantsResult(1 + k))
      n.result(1 + k, stack(last, layer.batchFirst ? 1 : 0));
  }
}

/// Runs all directions. `makeStep(d, R, rest of the bias)` gives the step of direction d; `split` is the number of
/// gates, from the first, whose two biases are added to the input's product at once.
static void
runLayer(Layer &layer, int64_t numStates, int64_t joinedGates,
         function_ref<std::function<State(Expr, const State &)>(int64_t, Expr, std::optional<Expr>)> makeStep) {
  NodeBinder &n = layer.n;
  int64_t steps = layer.x.shape()[0], batch = layer.x.shape()[1], width = layer.gates * layer.hidden;
  if (steps < 1)
    return n.error("the input has no steps");
  constexpr int64_t maxSteps = 1024;
  if (steps > maxSteps)
    return n.error("the input has " + Twine(steps) + " steps; supported: " + Twine(maxSteps) +
                   " (any number without lengths, clip, coupled gates and activations other than Tanh, Sigmoid, Relu)");
  SmallVector<SmallVector<Value>> outputs(layer.directions);
  SmallVector<State> states;
  for (int64_t d = 0; d < layer.directions && n; ++d) {
    std::optional<Expr> inputBias, stepBias;
    if (layer.bias) {
      Expr both = ofDirection(n, layer.bias, d);
      int64_t joined = joinedGates * layer.hidden;
      inputBias = both.slice(0, 0, width);
      stepBias = both.slice(0, width, width);
      if (joined == width) {
        inputBias = *inputBias + *stepBias;
        stepBias.reset();
      }
    }
    Expr flat = layer.x.reshape({steps * batch, layer.x.shape()[2]});
    Expr projected = project(flat, ofDirection(n, layer.weights, d), inputBias).reshape({steps, batch, width});
    State initial;
    for (int64_t k = 0; k < numStates; ++k)
      initial.push_back(initialState(layer, 5 + k, k ? "initial_c" : "initial_h", d));
    if (!n)
      return;
    auto step = makeStep(d, ofDirection(n, layer.recurrence, d), stepBias);
    states.push_back(runDirection(layer, d, projected, initial, outputs[d], step));
  }
  if (n)
    setResults(layer, outputs, states);
}

//===-- MIL's ops -------------------------------------------------------------===//

/// MIL's name of the one activation that functions `of` [per direction] all have; nothing if MIL's ops can't say it.
static std::optional<StringRef> plainActivation(const Layer &layer, size_t functions, ArrayRef<size_t> of) {
  StringRef name = layer.activations[of.front()].name;
  for (int64_t d = 0; d < layer.directions; ++d)
    for (size_t i : of)
      if (layer.activations[d * functions + i].name != name)
        return std::nullopt;
  return llvm::is_contained({"tanh", "sigmoid", "relu"}, name) ? std::optional<StringRef>(name) : std::nullopt;
}

/// The gates of `values` [G H, ...] in the order of MIL's op.
static Expr reordered(Expr values, int64_t hidden, ArrayRef<int64_t> order) {
  SmallVector<Value> parts;
  for (int64_t gate : order)
    parts.push_back(values.slice(0, gate * hidden, hidden));
  return join(parts, 0, values.binder());
}

namespace {
/// A layer as MIL's op: one op per direction.
struct PlainForm {
  SmallVector<int64_t> order;
  SmallVector<Argument> arguments;
  int64_t numStates = 1;
  /// A gru's two biases can't be added before the loop.
  bool separateBiases = false;
  Value peepholes;
};
} // namespace

template <typename OpTy>
static void emitPlain(Layer &layer, const PlainForm &form) {
  NodeBinder &n = layer.n;
  int64_t hidden = layer.hidden, width = layer.gates * hidden;
  SmallVector<SmallVector<Value>> results;
  for (int64_t d = 0; d < layer.directions && n; ++d) {
    SmallVector<Segment> operands{Segment(layer.x)};
    for (int64_t k = 0; k < form.numStates; ++k)
      operands.push_back(Segment(initialState(layer, 5 + k, k ? "initial_c" : "initial_h", d)));
    for (Value weights : {layer.weights, layer.recurrence})
      operands.push_back(Segment(reordered(ofDirection(n, weights, d), hidden, form.order)));
    std::optional<Expr> inputBias, bias;
    if (layer.bias) {
      Expr both = ofDirection(n, layer.bias, d);
      inputBias = reordered(both.slice(0, 0, width), hidden, form.order);
      bias = reordered(both.slice(0, width, width), hidden, form.order);
      if (!form.separateBiases)
        bias = *bias + *inputBias;
    }
    operands.push_back(Segment::optional(bias ? Value(*bias) : Value()));
    if constexpr (std::is_same_v<OpTy, GruOp>)
      operands.push_back(Segment::optional(form.separateBiases && inputBias ? Value(*inputBias) : Value()));
    if constexpr (std::is_same_v<OpTy, LstmOp>) {
      Value peephole;
      if (form.peepholes)
        peephole = reordered(ofDirection(n, form.peepholes, d), hidden, {0, 2, 1});
      operands.push_back(Segment::optional(peephole));
      operands.append(4, Segment::optional(Value()));
    }
    SmallVector<Argument> arguments(form.arguments);
    arguments.push_back({"output_sequence", true});
    arguments.push_back({"direction", layer.isReverse || d == 1 ? "reverse" : "forward"});
    results.push_back(n.emitAll<OpTy>(operands, arguments));
  }
  if (!n)
    return;
  for (unsigned i = 0; i < results.front().size(); ++i) {
    if (!n.wantsResult(i))
      continue;
    // [S, B, H] or, of a state, [B, H] from each direction.
    int64_t axis = i == 0 ? (layer.batchFirst ? 2 : 1) : (layer.batchFirst ? 1 : 0);
    SmallVector<Value> values;
    for (ArrayRef<Value> ofDirection : results) {
      Expr value(n, ofDirection[i]);
      values.push_back((i == 0 && layer.batchFirst ? value.transpose({1, 0, 2}) : value).expand(axis));
    }
    n.result(i, join(values, axis, n));
  }
}

//===-- the three ops ---------------------------------------------------------===//

static Expr clipped(const Layer &layer, Expr x) { return layer.clip ? clamp(x, -*layer.clip, *layer.clip) : x; }

/// h' = f(x W^T + h R^T + biases)
static void rnn(NodeBinder &n) {
  std::optional<Layer> layer = readLayer(n, 1, {"Tanh"});
  if (!layer)
    return;
  auto activation = plainActivation(*layer, 1, {0});
  if (activation && !layer->clip && !layer->lengths)
    return emitPlain<RnnOp>(*layer, {{0}, {{"activation", *activation}}, 1, false, Value()});
  runLayer(*layer, 1, 1, [&](int64_t d, Expr recurrence, std::optional<Expr>) {
    return [&layer, d, recurrence](Expr x, const State &before) {
      Expr sum = x + project(before[0], recurrence, std::nullopt);
      return State{apply(layer->activations[d], clipped(*layer, sum))};
    };
  });
}

/// Gates z (update), r (reset), h. `linear_before_reset`: r scales h R^T and its bias, not h.
static void gru(NodeBinder &n) {
  bool linearBeforeReset = n.boolAttr("linear_before_reset", false);
  std::optional<Layer> layer = readLayer(n, 3, {"Sigmoid", "Tanh"});
  if (!layer)
    return;
  int64_t hidden = layer->hidden;
  auto gateActivation = plainActivation(*layer, 2, {0}), activation = plainActivation(*layer, 2, {1});
  if (gateActivation && activation && !layer->clip && !layer->lengths)
    return emitPlain<GruOp>(
        *layer,
        {{1, 2, 0},
         {{"recurrent_activation", *gateActivation}, {"activation", *activation}, {"reset_after", linearBeforeReset}},
         1,
         linearBeforeReset,
         Value()});
  runLayer(*layer, 1, linearBeforeReset ? 0 : 3, [&](int64_t d, Expr recurrence, std::optional<Expr> bias) {
    const Activation *f = &layer->activations[2 * d];
    Expr gates = recurrence.slice(0, 0, 2 * hidden), cell = recurrence.slice(0, 2 * hidden, hidden);
    return [=, &layer](Expr x, const State &before) {
      Expr h = before[0];
      auto gate = [&](Expr values, int64_t i) { return values.slice(1, i * hidden, hidden); };
      Expr update = x, reset = x, fresh = x;
      if (linearBeforeReset) {
        Expr product = project(h, recurrence, bias);
        update = gate(x, 0) + gate(product, 0);
        reset = apply(f[0], clipped(*layer, gate(x, 1) + gate(product, 1)));
        fresh = gate(x, 2) + reset * gate(product, 2);
      } else {
        Expr product = project(h, gates, std::nullopt);
        update = gate(x, 0) + gate(product, 0);
        reset = apply(f[0], clipped(*layer, gate(x, 1) + gate(product, 1)));
        fresh = gate(x, 2) + project(reset * h, cell, std::nullopt);
      }
      update = apply(f[0], clipped(*layer, update));
      fresh = apply(f[1], clipped(*layer, fresh));
      return State{fresh + update * (h - fresh)};
    };
  });
}

/// Gates i (input), o (output), f (forget), c (cell); peepholes of i, o, f.
static void lstm(NodeBinder &n) {
  bool coupled = n.boolAttr("input_forget", false);
  std::optional<Layer> layer = readLayer(n, 4, {"Sigmoid", "Tanh", "Tanh"});
  Value peepholes = n.optionalInput(7);
  if (!layer)
    return;
  int64_t hidden = layer->hidden;
  if (peepholes && n.shape(peepholes) != ArrayRef<int64_t>{layer->directions, 3 * hidden})
    return n.error("P must have the shape [" + Twine(layer->directions) + ", " + Twine(3 * hidden) + "]");
  auto gateActivation = plainActivation(*layer, 3, {0}), cellActivation = plainActivation(*layer, 3, {1});
  auto activation = plainActivation(*layer, 3, {2});
  if (gateActivation && cellActivation && activation && !coupled && !layer->clip && !layer->lengths)
    return emitPlain<LstmOp>(
        *layer,
        {{0, 2, 1, 3},
         {{"recurrent_activation", *gateActivation}, {"cell_activation", *cellActivation}, {"activation", *activation}},
         2,
         false,
         peepholes});
  runLayer(*layer, 2, 4, [&](int64_t d, Expr recurrence, std::optional<Expr>) {
    const Activation *f = &layer->activations[3 * d];
    std::optional<Expr> peephole;
    if (peepholes)
      peephole = ofDirection(n, peepholes, d);
    return [=, &layer](Expr x, const State &before) {
      Expr sums = x + project(before[0], recurrence, std::nullopt), cell = before[1];
      auto gate = [&](int64_t i, std::optional<Expr> seen) {
        Expr sum = sums.slice(1, i * hidden, hidden);
        if (peephole && seen)
          sum = sum + peephole->slice(0, i * hidden, hidden) * *seen;
        return clipped(*layer, sum);
      };
      Expr input = apply(f[0], gate(0, cell));
      Expr forget = coupled ? 1.0 - input : apply(f[0], gate(2, cell));
      Expr next = forget * cell + input * apply(f[1], gate(3, std::nullopt));
      Expr output = apply(f[0], gate(1, next));
      return State{output * apply(f[2], next), next};
    };
  });
}

void mlir::ane::onnx_import::registerRecurrentOps(Registry &registry) {
  registry.onOp("", "GRU", {3, 7, 14, 22}, gru);
  registry.onOp("", "LSTM", {1, 7, 14, 22}, lstm);
  registry.onOp("", "RNN", {1, 7, 14, 22}, rnn);
}
