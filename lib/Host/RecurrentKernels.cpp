//===- RecurrentKernels.cpp - lstm, gru and rnn ---------------------------===//
//
// The product of all steps with the input weights is one matrix product. What is left is a loop over steps, one batch
// item per thread: its state, the gates of a step and nothing else stand on the stack, and the recurrent weights are
// read row by row, [hidden, gates], so that a row adds to all gates at once.
//
//===----------------------------------------------------------------------===//

#include "Generic.h"
#include "Rewrites.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

//===-- rewrite -------------------------------------------------------------===//

namespace {
class LoopMaker {
public:
  explicit LoopMaker(Operation *op) : op(op), b(op), view(op), x(op->getOperand(0)) {}
  bool run();

private:
  Value make(StringRef name, ValueRange operands, ArrayRef<int64_t> shape, ArrayRef<NamedAttribute> attributes = {}) {
    Type type = RankedTensorType::get(shape, elementOf(x));
    return createOp(b, op->getLoc(), name, operands, type, attributes)->getResult(0);
  }
  /// The part [first, first + H) of the last axis of an initial state.
  Value stateOf(Value initial, int64_t direction);
  SmallVector<Value> makeLoop(int64_t direction, bool backwards, Value weightIh, Value weightHh, Value bias,
                              Value peephole);

  Operation *op;
  OpBuilder b;
  OpView view;
  Value x;
};
} // namespace

Value LoopMaker::stateOf(Value initial, int64_t direction) {
  int64_t hidden = shapeOf(op->getOperand(view.name() == "lstm" ? 4 : 3))[1], batch = shapeOf(initial)[0];
  if (shapeOf(initial)[1] == hidden)
    return initial;
  return make("ane.slice_by_size", initial, {batch, hidden},
              {b.getNamedAttr("begin", b.getDenseI64ArrayAttr({0, direction * hidden})),
               b.getNamedAttr("size", b.getDenseI64ArrayAttr({batch, hidden}))});
}

SmallVector<Value> LoopMaker::makeLoop(int64_t direction, bool backwards, Value weightIh, Value weightHh, Value bias,
                                       Value peephole) {
  StringRef name = view.name();
  bool resetAfter = name == "gru" && view.flag("reset_after"), sequence = view.flag("output_sequence");
  int64_t width = shapeOf(weightHh)[0], hidden = shapeOf(weightHh)[1], steps = shapeOf(x)[0], batch = shapeOf(x)[1];
  Value inputBias = name == "gru" ? view.optional(5) : Value();
  SmallVector<Value> added;
  for (Value value : {resetAfter ? Value() : bias, inputBias})
    if (value)
      added.push_back(value);
  auto reshape = [&](Value value, ArrayRef<int64_t> shape) {
    return make("ane.reshape", value, shape, b.getNamedAttr("shape", b.getDenseI64ArrayAttr(shape)));
  };
  int64_t rows = steps * batch;
  Value projected = make("ane.linear", {reshape(x, {rows, shapeOf(x)[2]}), weightIh}, {rows, width});
  for (Value value : added)
    projected = make("ane.add", {projected, value}, {rows, width});
  projected = reshape(projected, {steps, batch, width});
  Value turned =
      make("ane.transpose", weightHh, {hidden, width}, b.getNamedAttr("perm", b.getDenseI64ArrayAttr({1, 0})));
  turned = make("ane.identity", turned, {hidden, width}, b.getNamedAttr(copyMark, b.getUnitAttr()));

  SmallVector<Value> initial{stateOf(op->getOperand(1), direction)};
  if (name == "lstm")
    initial.push_back(stateOf(op->getOperand(2), direction));
  SmallVector<Type> last(initial.size(), RankedTensorType::get({batch, hidden}, elementOf(x)));
  auto states = RankedTensorType::get({sequence ? steps : 1, batch, hidden}, elementOf(x));
  auto loop = b.create<RecurrenceOp>(
      op->getLoc(), states, last, *symbolizeRecurrenceKind(name), projected, initial, turned,
      resetAfter ? bias : Value(), peephole, view.string("recurrent_activation", "sigmoid"),
      view.string("cell_activation", "tanh"), view.string("activation", "tanh"), backwards, sequence, resetAfter);
  return SmallVector<Value>(loop->getResults());
}

bool LoopMaker::run() {
  bool isLstm = view.name() == "lstm";
  StringRef direction = view.string("direction", "forward");
  Value weightIh = op->getOperand(isLstm ? 3 : 2), weightHh = op->getOperand(isLstm ? 4 : 3);
  // The rnn op has no groups: its only optional operand is the last.
  Value bias = view.optional(isLstm ? 5 : 4);
  SmallVector<Value> results =
      makeLoop(0, direction == "reverse", weightIh, weightHh, bias, isLstm ? view.optional(6) : Value());
  if (direction == "bidirectional") {
    SmallVector<Value> back =
        makeLoop(1, true, view.optional(7), view.optional(8), view.optional(9), view.optional(10));
    for (auto [result, other] : llvm::zip_equal(results, back)) {
      SmallVector<int64_t> shape(shapeOf(result));
      int64_t axis = shape.size() - 1;
      shape.back() *= 2;
      result = make("ane.concat", {result, other}, shape, b.getNamedAttr("axis", b.getI64IntegerAttr(axis)));
    }
  }
  op->replaceAllUsesWith(results);
  op->erase();
  return true;
}

bool host::rewriteRecurrent(Operation *op) {
  auto lstm = dyn_cast<LstmOp>(op);
  return isa<LstmOp, GruOp, RnnOp>(op) && !(lstm && lstm.getClip()) && LoopMaker(op).run();
}

//===-- kernel --------------------------------------------------------------===//

namespace {
/// The loop over steps of one batch item.
class RecurrentLoop {
public:
  explicit RecurrentLoop(LoopKernel &k)
      : k(k), op(cast<RecurrenceOp>(k.op)), steps(k.shape(0)[0]), hidden(k.shape(1)[1]), gates(k.shape(0)[2] / hidden),
        weights(op.getWeightMutable().getOperandNumber()) {}
  void emit(OpBuilder &b, Value item);
  int64_t stackBytes() const { return (gates + 3) * hidden * 8; }

private:
  using Each = function_ref<void(OpBuilder &, Value)>;

  Value buffer(OpBuilder &b, int64_t size) {
    return b.create<memref::AllocaOp>(k.loc, MemRefType::get({size}, k.context.compute), b.getI64IntegerAttr(64));
  }
  Value get(OpBuilder &b, Value memory, Value at) { return b.create<memref::LoadOp>(k.loc, memory, at); }
  void put(OpBuilder &b, Value value, Value memory, Value at) { b.create<memref::StoreOp>(k.loc, value, memory, at); }
  void each(OpBuilder &b, int64_t count, Each body) {
    k.forEach(b, {count}, [&](OpBuilder &inner, ValueRange at) { body(inner, at[0]); });
  }
  /// Element j of gate `index`.
  Value gateAt(OpBuilder &b, Value j, int64_t index) { return k.add(b, j, k.index(b, index * hidden)); }
  /// sums[first + j] += vector W[:, first + j] for `count` gates.
  void addProduct(OpBuilder &b, Value vector, Value sums, int64_t firstGate, int64_t count);
  Value activate(OpBuilder &b, StringRef function, Value x);
  void lstmStep(OpBuilder &b);
  void gruStep(OpBuilder &b);
  void rnnStep(OpBuilder &b);

  LoopKernel &k;
  RecurrenceOp op;
  int64_t steps, hidden, gates;
  /// The operand.
  unsigned weights;
  /// Stack: gates, states, and of a gru what the recurrent product is of (r h), or its result (reset_after).
  Value sums, h, c, spare;
};
} // namespace

void RecurrentLoop::addProduct(OpBuilder &b, Value vector, Value to, int64_t firstGate, int64_t count) {
  // Four rows at once: the sums are read and written a quarter as often.
  int64_t block = hidden % 4 == 0 ? 4 : 1;
  each(b, hidden / block, [&](OpBuilder &b, Value i) {
    Value row = k.mul(b, i, block);
    SmallVector<Value> rows, factors;
    for (int64_t r = 0; r < block; ++r) {
      rows.push_back(k.add(b, row, k.index(b, r)));
      factors.push_back(get(b, vector, rows.back()));
    }
    each(b, count * hidden, [&](OpBuilder &b, Value j) {
      Value at = gateAt(b, j, firstGate), sum = get(b, to, at);
      for (int64_t r = 0; r < block; ++r)
        sum = k.scalar(b).fma(factors[r], k.load(b, weights, {rows[r], at}), sum);
      put(b, sum, to, at);
    });
  });
}

Value RecurrentLoop::activate(OpBuilder &b, StringRef function, Value x) {
  Scalar s = k.scalar(b);
  if (function == "sigmoid")
    return s.sigmoid(x);
  return function == "relu" ? s.max(x, s.constant(x, 0)) : s.tanh(x);
}

void RecurrentLoop::lstmStep(OpBuilder &b) {
  addProduct(b, h, sums, 0, 4);
  each(b, hidden, [&](OpBuilder &b, Value j) {
    Scalar s = k.scalar(b);
    Value cell = get(b, c, j);
    // Gates: input, forget, output, cell; peepholes in the same order.
    auto gate = [&](int64_t index, Value seen) {
      Value sum = get(b, sums, gateAt(b, j, index));
      if (seen && op.getPeephole())
        sum = s.fma(k.load(b, weights + 1, gateAt(b, j, index)), seen, sum);
      return activate(b, seen ? op.getRecurrentActivation() : op.getCellActivation(), sum);
    };
    Value next = s.fma(gate(1, cell), cell, s.mul(gate(0, cell), gate(3, Value())));
    put(b, next, c, j);
    put(b, s.mul(gate(2, next), activate(b, op.getActivation(), next)), h, j);
  });
}

void RecurrentLoop::gruStep(OpBuilder &b) {
  bool resetAfter = op.getResetAfter(), hasBias = static_cast<bool>(op.getBias());
  auto gate = [&](OpBuilder &b, Value j, int64_t index) { return get(b, sums, gateAt(b, j, index)); };
  // Gates: reset, new, update. Of the new one the recurrent part is held apart until it is scaled.
  each(b, hidden, [&](OpBuilder &b, Value j) {
    Scalar s = k.scalar(b);
    for (int64_t index : {0, 2})
      if (resetAfter && hasBias)
        put(b, s.add(gate(b, j, index), k.load(b, weights + 1, gateAt(b, j, index))), sums, gateAt(b, j, index));
    Value zero = s.constantOf(k.context.compute, 0);
    put(b, resetAfter && hasBias ? k.load(b, weights + 1, gateAt(b, j, 1)) : zero, spare, gateAt(b, j, 1));
  });
  addProduct(b, h, sums, 0, 1);
  addProduct(b, h, sums, 2, 1);
  if (resetAfter) {
    addProduct(b, h, spare, 1, 1);
  } else {
    each(b, hidden, [&](OpBuilder &b, Value j) {
      Value reset = activate(b, op.getRecurrentActivation(), gate(b, j, 0));
      put(b, k.scalar(b).mul(reset, get(b, h, j)), spare, j);
    });
    addProduct(b, spare, sums, 1, 1);
  }
  each(b, hidden, [&](OpBuilder &b, Value j) {
    Scalar s = k.scalar(b);
    Value fresh = gate(b, j, 1), before = get(b, h, j);
    if (resetAfter) {
      Value reset = activate(b, op.getRecurrentActivation(), gate(b, j, 0));
      fresh = s.fma(reset, get(b, spare, gateAt(b, j, 1)), fresh);
    }
    fresh = activate(b, op.getActivation(), fresh);
    Value update = activate(b, op.getRecurrentActivation(), gate(b, j, 2));
    put(b, s.fma(update, s.sub(before, fresh), fresh), h, j);
  });
}

void RecurrentLoop::rnnStep(OpBuilder &b) {
  addProduct(b, h, sums, 0, 1);
  each(b, hidden, [&](OpBuilder &b, Value j) { put(b, activate(b, op.getActivation(), get(b, sums, j)), h, j); });
}

void RecurrentLoop::emit(OpBuilder &b, Value item) {
  bool isLstm = op.getKind() == RecurrenceKind::Lstm, isGru = op.getKind() == RecurrenceKind::Gru;
  bool sequence = op.getSequence();
  sums = buffer(b, gates * hidden);
  h = buffer(b, hidden);
  if (isLstm)
    c = buffer(b, hidden);
  if (isGru)
    spare = buffer(b, 2 * hidden);
  each(b, hidden, [&](OpBuilder &b, Value j) {
    put(b, k.load(b, 1, {item, j}), h, j);
    if (isLstm)
      put(b, k.load(b, 2, {item, j}), c, j);
  });
  each(b, steps, [&](OpBuilder &b, Value i) {
    Value step = op.getReverse() ? k.sub(b, k.index(b, steps - 1), i) : i;
    each(b, gates * hidden, [&](OpBuilder &b, Value j) { put(b, k.load(b, 0, {step, item, j}), sums, j); });
    isLstm ? lstmStep(b) : isGru ? gruStep(b) : rnnStep(b);
    if (sequence)
      each(b, hidden, [&](OpBuilder &b, Value j) { k.store(b, get(b, h, j), {step, item, j}); });
  });
  each(b, hidden, [&](OpBuilder &b, Value j) {
    if (!sequence)
      k.store(b, get(b, h, j), {k.index(b, 0), item, j});
    k.store(b, get(b, h, j), {item, j}, 1);
    if (isLstm)
      k.store(b, get(b, c, j), {item, j}, 2);
  });
}

LogicalResult host::emitRecurrence(LoopKernel &k) {
  auto op = cast<RecurrenceOp>(k.op);
  for (StringRef function : {op.getRecurrentActivation(), op.getCellActivation(), op.getActivation()})
    if (function != "tanh" && function != "sigmoid" && function != "relu")
      return op.emitOpError() << "has no CPU lowering for activation '" << function
                              << "'; supported: tanh, sigmoid, relu";
  RecurrentLoop loop(k);
  if (loop.stackBytes() > k.context.tiles.stackBytes)
    return k.op->emitOpError() << "has no CPU lowering: a step needs " << loop.stackBytes()
                               << " bytes of stack; limit: " << k.context.tiles.stackBytes;
  int64_t batch = k.shape(0)[1], width = k.shape(0)[2];
  k.forAll(
      k.context.builder, {batch, 1}, [&](OpBuilder &b, ValueRange at) { loop.emit(b, at[0]); },
      k.shape(0)[0] * width * (k.shape(1)[1] / 8 + 8));
  return success();
}
