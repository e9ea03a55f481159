//===- Recurrent.cpp - gradients of recurrent networks --------------------===//
//
// The steps are computed anew, one after the other, and gradients flow through them.
//
//===----------------------------------------------------------------------===//

#include "../Rules.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Computes a layer step by step, in one direction.
class Unroller {
public:
  Unroller(GradientBuilder &b, Value x, bool backwards)
      : b(b), x(x), steps(tensorOf(x).getDimSize(0)), batch(tensorOf(x).getDimSize(1)), backwards(backwards) {}

  /// x W^T + bias for all steps; `width` columns.
  void project(Value weight, Value bias) {
    inputs = tensorOf(x).getDimSize(2);
    Value rows = b.make<LinearOp>(b.reshape(x, {steps * batch, inputs}), weight, bias);
    projected = b.reshape(rows, {steps, batch, tensorOf(weight).getDimSize(0)});
  }
  /// Calls `step` with the projected input of each, in their order; it returns h.
  void run(function_ref<Value(Value)> step) {
    outputs.resize(steps);
    for (int64_t i = 0; i < steps; ++i) {
      int64_t at = backwards ? steps - 1 - i : i, width = tensorOf(projected).getDimSize(2);
      outputs[at] = last = step(b.reshape(b.slice(projected, {at, 0, 0}, {1, batch, width}), {batch, width}));
    }
  }
  /// All of h, or that of the last step.
  Value sequence(bool isWhole) {
    return isWhole ? b.make<StackOp>(outputs, int64_t(0)) : b.reshape(last, {1, batch, tensorOf(last).getDimSize(1)});
  }
  /// Columns of gate `number`.
  Value gate(Value sums, int64_t number, int64_t hidden) {
    SmallVector<int64_t> begin(tensorOf(sums).getRank(), 0), size(tensorOf(sums).getShape());
    begin.back() = number * hidden;
    size.back() = hidden;
    return b.slice(sums, begin, size);
  }
  Value times(Value h, Value weight) { return b.make<LinearOp>(h, weight, Value()); }
  Value activate(StringRef function, Value value) {
    if (function == "sigmoid")
      return b.make<SigmoidOp>(value);
    return function == "relu" ? b.make<ReluOp>(value) : b.make<TanhOp>(value);
  }

private:
  GradientBuilder &b;
  Value x, projected, last;
  int64_t steps, batch, inputs = 0;
  bool backwards;
  SmallVector<Value> outputs;
};

struct RecurrentRules : RuleSet {
  using RuleSet::whyNot;

  static void apply(RnnOp op, GradientBuilder &b) {
    b.through([&] {
      Unroller layer(b, op.getX(), op.getDirection() == "reverse");
      layer.project(op.getWeightIh(), op.getBias());
      Value h = op.getInitialH();
      layer.run([&](Value sums) {
        return h = layer.activate(op.getActivation(), b.add(sums, layer.times(h, op.getWeightHh())));
      });
      return SmallVector<Value>{layer.sequence(op.getOutputSequence()), h};
    });
  }

  static void apply(GruOp op, GradientBuilder &b) {
    b.through([&] {
      Unroller layer(b, op.getX(), op.getDirection() == "reverse");
      bool resetAfter = op.getResetAfter();
      int64_t hidden = tensorOf(op.getWeightHh()).getDimSize(1);
      Value h = op.getInitialH(), bias = op.getBias(), inputBias = op.getInputBias();
      if (!resetAfter && bias && inputBias)
        inputBias = b.add(inputBias, bias);
      else if (!resetAfter && bias)
        inputBias = bias;
      layer.project(op.getWeightIh(), inputBias);
      Value newWeight = b.slice(op.getWeightHh(), {hidden, 0}, {hidden, hidden});
      layer.run([&](Value sums) {
        Value product = b.make<LinearOp>(h, op.getWeightHh(), resetAfter ? bias : Value());
        auto gate = [&](int64_t number) {
          return layer.activate(op.getRecurrentActivation(),
                                b.add(layer.gate(sums, number, hidden), layer.gate(product, number, hidden)));
        };
        Value reset = gate(0), update = gate(2);
        Value recurrent =
            resetAfter ? b.mul(reset, layer.gate(product, 1, hidden)) : layer.times(b.mul(reset, h), newWeight);
        Value fresh = layer.activate(op.getActivation(), b.add(layer.gate(sums, 1, hidden), recurrent));
        return h = b.add(fresh, b.mul(update, b.sub(h, fresh)));
      });
      return SmallVector<Value>{layer.sequence(op.getOutputSequence()), h};
    });
  }

  static void apply(LstmOp op, GradientBuilder &b) {
    b.through([&] {
      bool isReverse = op.getDirection() == "reverse";
      SmallVector<Value> results =
          direction(op, b, {op.getWeightIh(), op.getWeightHh(), op.getBias(), op.getPeephole()}, isReverse, 0);
      if (op.getDirection() != "bidirectional")
        return results;
      SmallVector<Value> others = direction(
          op, b, {op.getWeightIhBack(), op.getWeightHhBack(), op.getBiasBack(), op.getPeepholeBack()}, true, 1);
      for (auto [result, other] : llvm::zip_equal(results, others))
        result = b.make<ConcatOp>(ValueRange{result, other}, tensorOf(result).getRank() - 1);
      return results;
    });
  }

  static std::string whyNot(RnnOp op, IsActive) { return whyNotUnrolled(op.getX()); }
  static std::string whyNot(GruOp op, IsActive) { return whyNotUnrolled(op.getX()); }
  static std::string whyNot(LstmOp op, IsActive) {
    return op.getClip() ? "its sums are clipped" : whyNotUnrolled(op.getX());
  }

private:
  /// Each step becomes a hundred ops.
  static constexpr int64_t maxSteps = 256;

  static std::string whyNotUnrolled(Value x) {
    int64_t steps = tensorOf(x).getDimSize(0);
    return steps <= maxSteps
               ? ""
               : "it has " + std::to_string(steps) + " steps, which are unrolled; limit: " + std::to_string(maxSteps);
  }

  struct Parameters {
    Value weightIh, weightHh, bias, peephole;
  };
  /// y, h and c of one direction, the states' part number `part`.
  static SmallVector<Value> direction(LstmOp op, GradientBuilder &b, const Parameters &p, bool backwards,
                                      int64_t part) {
    Unroller layer(b, op.getX(), backwards);
    layer.project(p.weightIh, p.bias);
    int64_t hidden = tensorOf(p.weightHh).getDimSize(1), batch = tensorOf(op.getX()).getDimSize(1);
    Value h = b.slice(op.getInitialH(), {0, part * hidden}, {batch, hidden});
    Value c = b.slice(op.getInitialC(), {0, part * hidden}, {batch, hidden});
    layer.run([&](Value inputs) {
      Value sums = b.add(inputs, layer.times(h, p.weightHh));
      // Gates: input, forget, output; peepholes in the same order.
      auto gate = [&](int64_t number, Value seen) {
        Value sum = layer.gate(sums, number, hidden);
        if (p.peephole)
          sum = b.add(sum, b.mul(seen, layer.gate(p.peephole, number, hidden)));
        return layer.activate(op.getRecurrentActivation(), sum);
      };
      Value input = gate(0, c), forget = gate(1, c);
      Value fresh = layer.activate(op.getCellActivation(), layer.gate(sums, 3, hidden));
      c = b.add(b.mul(forget, c), b.mul(input, fresh));
      return h = b.mul(gate(2, c), layer.activate(op.getActivation(), c));
    });
    return {layer.sequence(op.getOutputSequence()), h, c};
  }
};
} // namespace

void mlir::ane::attachRecurrentRules(MLIRContext *context) {
  attachRules<RecurrentRules, RnnOp, GruOp, LstmOp>(context);
}
