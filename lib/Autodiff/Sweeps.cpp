//===- Sweeps.cpp - functions over a part of all parameters ---------------===//
//
// What an optimiser computes for each parameter is elementwise, so that one function serves all of them, whatever their
// shapes: they lie one behind the other, and the trainer calls it for one part of them after the other. Each result is
// computed in one loop with the others, and may be written over the operand that it is the next value of.
//
//===----------------------------------------------------------------------===//

#include "Sweeps.h"
#include "Names.h"
#include "ane/IR/Builders.h"
#include "ane/IR/DialectAttrs.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Builds one sweep: a function of arrays and of numbers, [1], by their names.
class Sweep {
public:
  Sweep(ModuleOp module, StringRef name, int64_t elements)
      : builder(OpBuilder::atBlockEnd(module.getBody())), elements(elements),
        function(builder.create<func::FuncOp>(NameLoc::get(builder.getStringAttr(name), module.getLoc()), name,
                                              builder.getFunctionType({}, {}))),
        c(builder, function.getLoc()) {
    builder.setInsertionPointToEnd(function.addEntryBlock());
    builder.create<func::ReturnOp>(function.getLoc());
    builder.setInsertionPoint(function.front().getTerminator());
  }

  Value array(StringRef name) { return input(name, elements); }
  Value number(StringRef name) { return input(name, 1); }
  void give(StringRef name, Value value) { addOutputs(function, value, {name.str()}); }
  /// Ends it; returns its name.
  StringAttr finish() {
    // An engine's 16 bits are too few for what is kept from step to step.
    auto why = HostAttr::get(builder.getContext(), "training", "parameters and their optimiser are kept in fp32");
    for (Operation &op : function.front().without_terminator())
      if (!isa<ConstOp>(op))
        attrs::host.set(&op, why);
    return function.getSymNameAttr();
  }

private:
  Value input(StringRef name, int64_t size) {
    Type type = RankedTensorType::get({size}, builder.getF32Type());
    return addInputs(function, {{name.str(), type}}).front();
  }

  OpBuilder builder;
  int64_t elements;
  func::FuncOp function;

public:
  Composer c;
};
} // namespace

/// x times a number plus y times what is left to 1.
static Value mix(Composer &c, Value x, Value y, Value share) {
  return c.add(c.mul(x, share), c.mul(y, c.sub(c.scalar(share, 1), share)));
}

/// The weight after decay that does not pass the moments.
static Value decayed(Composer &c, Value weight, Value rate, Value decay) {
  return c.mul(weight, c.sub(c.scalar(rate, 1), c.mul(rate, decay)));
}

static StringAttr createAdamW(ModuleOp module, int64_t elements) {
  Sweep sweep(module, "adamw", elements);
  Value weight = sweep.array("weight"), gradient = sweep.array("gradient"), first = sweep.array("first"),
        second = sweep.array("second"), scale = sweep.number("gradient_scale"), rate = sweep.number("rate"),
        decay = sweep.number("decay"), beta1 = sweep.number("beta1"), beta2 = sweep.number("beta2"),
        epsilon = sweep.number("epsilon"), correction1 = sweep.number("correction1"),
        correction2 = sweep.number("correction2");
  Composer &c = sweep.c;
  gradient = c.mul(gradient, scale);
  first = mix(c, first, gradient, beta1);
  second = mix(c, second, c.mul(gradient, gradient), beta2);
  Value root = c.make<SqrtOp>(c.mul(second, correction2));
  Value step = c.div(c.mul(first, c.mul(rate, correction1)), c.add(root, epsilon));
  sweep.give("weight_next", c.sub(decayed(c, weight, rate, decay), step));
  sweep.give("first_next", first);
  sweep.give("second_next", second);
  return sweep.finish();
}

/// Decay is part of the gradient, as in PyTorch's SGD.
static StringAttr createSGD(ModuleOp module, int64_t elements) {
  Sweep sweep(module, "sgd", elements);
  Value weight = sweep.array("weight"), gradient = sweep.array("gradient"), velocity = sweep.array("velocity"),
        scale = sweep.number("gradient_scale"), rate = sweep.number("rate"), decay = sweep.number("decay"),
        momentum = sweep.number("momentum");
  Composer &c = sweep.c;
  gradient = c.add(c.mul(gradient, scale), c.mul(weight, decay));
  velocity = c.add(c.mul(velocity, momentum), gradient);
  sweep.give("weight_next", c.sub(weight, c.mul(velocity, rate)));
  sweep.give("velocity_next", velocity);
  return sweep.finish();
}

static StringAttr createLion(ModuleOp module, int64_t elements) {
  Sweep sweep(module, "lion", elements);
  Value weight = sweep.array("weight"), gradient = sweep.array("gradient"), momentum = sweep.array("momentum_state"),
        scale = sweep.number("gradient_scale"), rate = sweep.number("rate"), decay = sweep.number("decay"),
        beta1 = sweep.number("beta1"), beta2 = sweep.number("beta2");
  Composer &c = sweep.c;
  gradient = c.mul(gradient, scale);
  Value direction = c.make<SignOp>(mix(c, momentum, gradient, beta1));
  sweep.give("weight_next", c.sub(decayed(c, weight, rate, decay), c.mul(direction, rate)));
  sweep.give("momentum_state_next", mix(c, momentum, gradient, beta2));
  return sweep.finish();
}

static StringAttr createSquares(ModuleOp module, int64_t elements) {
  Sweep sweep(module, "squares", elements);
  Value gradient = sweep.array("gradient");
  Builder builder(module.getContext());
  Value rows = sweep.c.reshape(sweep.c.mul(gradient, gradient), {elements / sweepRow, sweepRow});
  Value sums = sweep.c.make<ReduceSumOp>(rows, builder.getDenseI64ArrayAttr({1}), builder.getBoolAttr(false));
  sweep.give("squares", sweep.c.make<ReduceSumOp>(sums, builder.getDenseI64ArrayAttr({0}), builder.getBoolAttr(true)));
  return sweep.finish();
}

static StringAttr createAdd(ModuleOp module, int64_t elements) {
  Sweep sweep(module, "add", elements);
  Value into = sweep.array("into"), from = sweep.array("from");
  sweep.give("sum", sweep.c.add(into, from));
  return sweep.finish();
}

SmallVector<NamedAttribute> mlir::ane::createSweeps(ModuleOp module, int64_t elements) {
  Builder builder(module.getContext());
  NamedAttribute optimizers[] = {builder.getNamedAttr("adamw", createAdamW(module, elements)),
                                 builder.getNamedAttr("lion", createLion(module, elements)),
                                 builder.getNamedAttr("sgd", createSGD(module, elements))};
  return {builder.getNamedAttr("optimizers", builder.getDictionaryAttr(optimizers)),
          builder.getNamedAttr("squares", createSquares(module, elements)),
          builder.getNamedAttr("add", createAdd(module, elements))};
}
