//===- RecurrentKernels.cpp - lstm, gru and rnn ---------------------------===//
//
// The product of all steps with the input weights is one matrix product. What is left is a loop over steps, one batch
// item per thread: its state, the gates of a step and nothing else stand on the stack, and the recurrent weights are
// read row by row, [hidden, gates], so that a row adds to all gates at once.
//
//===----------------------------------------------------------------------===//

#include "LoopKernel.h"
#include "Rewrites.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

//===-- rewrite -------------------------------------------------------------===//

namespace {
/// What the ops say alike: of one direction.
struct Direction {
  Value weightIh, weightHh, bias, peephole;
  /// Of a gru.
  Value inputBias;
  bool backwards;
  /// The part of the initial states' last axis.
  int64_t part = 0;
};

/// Replaces a recurrent op by a product and a loop for each direction.
class LoopMaker {
public:
  LoopMaker(Operation *op, RecurrenceKind kind, Value x, ValueRange initial, bool sequence)
      : m(op), kind(kind), x(x), initial(initial), sequence(sequence) {}
  void run(ArrayRef<Direction> directions);

  StringRef recurrentActivation = "sigmoid", cellActivation = "tanh", activation = "tanh";
  bool resetAfter = false;

private:
  SmallVector<Value> makeLoop(const Direction &direction);

  Maker m;
  RecurrenceKind kind;
  Value x;
  SmallVector<Value> initial;
  bool sequence;
};
} // namespace

SmallVector<Value> LoopMaker::makeLoop(const Direction &d) {
  int64_t width = shapeOf(d.weightHh)[0], hidden = shapeOf(d.weightHh)[1], steps = shapeOf(x)[0], batch = shapeOf(x)[1];
  SmallVector<Value> states;
  for (Value state : initial)
    states.push_back(shapeOf(state)[1] == hidden ? state : m.slice(state, {0, d.part * hidden}, {batch, hidden}));
  Value projected = m.make<LinearOp>(m.reshape(x, {steps * batch, shapeOf(x)[2]}), d.weightIh, Value());
  for (Value value : {resetAfter ? Value() : d.bias, d.inputBias})
    if (value)
      projected = m.add(projected, value);
  projected = m.reshape(projected, {steps, batch, width});
  Value turned = m.copy(m.transpose(d.weightHh, {1, 0}));
  SmallVector<Type> last(states.size(), RankedTensorType::get({batch, hidden}, elementOf(x)));
  auto all = RankedTensorType::get({sequence ? steps : 1, batch, hidden}, elementOf(x));
  auto loop = m.b.create<RecurrenceOp>(m.op->getLoc(), all, last, kind, projected, states, turned,
                                       resetAfter ? d.bias : Value(), d.peephole, recurrentActivation, cellActivation,
                                       activation, d.backwards, sequence, resetAfter);
  return SmallVector<Value>(loop->getResults());
}

void LoopMaker::run(ArrayRef<Direction> directions) {
  SmallVector<Value> results = makeLoop(directions.front());
  for (const Direction &direction : directions.drop_front()) {
    SmallVector<Value> more = makeLoop(direction);
    for (auto [result, other] : llvm::zip_equal(results, more))
      result = m.make<ConcatOp>(ValueRange{result, other}, static_cast<int64_t>(shapeOf(result).size() - 1));
  }
  m.op->replaceAllUsesWith(results);
  m.op->erase();
}

static void rewrite(LstmOp op) {
  LoopMaker maker(op, RecurrenceKind::Lstm, op.getX(), {op.getInitialH(), op.getInitialC()}, op.getOutputSequence());
  maker.recurrentActivation = op.getRecurrentActivation();
  maker.cellActivation = op.getCellActivation();
  maker.activation = op.getActivation();
  SmallVector<Direction> directions{
      {op.getWeightIh(), op.getWeightHh(), op.getBias(), op.getPeephole(), Value(), op.getDirection() == "reverse"}};
  if (op.getDirection() == "bidirectional")
    directions.push_back({op.getWeightIhBack(), op.getWeightHhBack(), op.getBiasBack(), op.getPeepholeBack(), Value(),
                          /*backwards=*/true, /*part=*/1});
  maker.run(directions);
}

static void rewrite(GruOp op) {
  LoopMaker maker(op, RecurrenceKind::Gru, op.getX(), op.getInitialH(), op.getOutputSequence());
  maker.recurrentActivation = op.getRecurrentActivation();
  maker.activation = op.getActivation();
  maker.resetAfter = op.getResetAfter();
  maker.run(Direction{op.getWeightIh(), op.getWeightHh(), op.getBias(), Value(), op.getInputBias(),
                      op.getDirection() == "reverse"});
}

static void rewrite(RnnOp op) {
  LoopMaker maker(op, RecurrenceKind::Rnn, op.getX(), op.getInitialH(), op.getOutputSequence());
  maker.activation = op.getActivation();
  maker.run(
      Direction{op.getWeightIh(), op.getWeightHh(), op.getBias(), Value(), Value(), op.getDirection() == "reverse"});
}

bool host::rewriteRecurrent(Operation *op) {
  auto lstm = dyn_cast<LstmOp>(op);
  if (lstm && lstm.getClip())
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<LstmOp, GruOp, RnnOp>([](auto typed) {
        rewrite(typed);
        return true;
      })
      .Default(false);
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
