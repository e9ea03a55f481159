//===- ControlFlow.cpp - ONNX branches and loops --------------------------===//
//
// There is no control flow in the dialect. A branch that is known is imported in place; of one that is not, both sides
// are computed and one is selected, for nothing that ONNX describes has side effects. Loops are unrolled.
//
//===----------------------------------------------------------------------===//

#include "../NodeBinder.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

static std::string text(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Gives `chosen`, which is `then` or `otherwise`, the room of either (Bounded.h).
static void chooseRoom(NodeBinder &n, Value condition, Value then, Value otherwise, Value chosen, const Twine &what) {
  using Room = BoundedValues::Room;
  const Room *a = n.bounded().lookup(then), *b = n.bounded().lookup(otherwise);
  if (!n || (!a && !b))
    return;
  if (a && b && (a->axis != b->axis || a->filler != b->filler)) {
    auto say = [](const Room &room) {
      return " what " + room.maker + " gives, along axis " + std::to_string(room.axis) + " and with " +
             std::to_string(room.filler) + " behind it";
    };
    return n.error("the condition is known at run time only, and " + what + " has room for either" + say(*a) + ", or" +
                   say(*b) +
                   "; both must be at the same axis and have the same behind them; remedy: make both outputs " +
                   "of the model, and choose in the program that runs it");
  }
  const Room &own = a ? *a : *b;
  auto count = [&](const Room *room) {
    return room ? n.reshape(room->count, {1}) : n.intsConstant(n.shape(chosen)[own.axis]);
  };
  n.addRoom(chosen, own.axis, own.filler, n.emit<SelectOp>({condition, count(a), count(b)}));
}

/// `then` or `otherwise`, elements of sequences one by one. `what` names the value in errors.
static Value choose(NodeBinder &n, Value condition, Value then, Value otherwise, const Twine &what) {
  if (!n || then == otherwise)
    return then;
  if (then.getType() != otherwise.getType()) {
    n.error("the condition is known at run time only, and " + what + " has either the type " + text(then.getType()) +
            " or " + text(otherwise.getType()) + "; both must have the same static shape");
    return nullptr;
  }
  if (isa<RankedTensorType>(then.getType())) {
    condition = n.reshape(condition, {});
    Value chosen = n.emit<SelectOp>({condition, then, otherwise});
    chooseRoom(n, condition, then, otherwise, chosen, what);
    return chosen;
  }
  if (isa<NoneType>(then.getType()))
    return then;
  SmallVector<Value> elements;
  for (auto [a, b] : llvm::zip(then.getDefiningOp()->getOperands(), otherwise.getDefiningOp()->getOperands()))
    elements.push_back(choose(n, condition, a, b, what));
  return n ? n.makeSequence(elements) : Value();
}

static void setResults(NodeBinder &n, ArrayRef<Value> values) {
  if (!n)
    return;
  if (size_t(n.node.output_size()) > values.size())
    return n.error("has " + Twine(n.node.output_size()) + " outputs, but the graph inside gives " +
                   Twine(values.size()));
  for (auto [i, value] : llvm::enumerate(values))
    n.result(i, value);
}

static void ifOp(NodeBinder &n) {
  Value condition = n.input(0);
  const onnx::GraphProto *thenGraph = n.graphAttr("then_branch"), *elseGraph = n.graphAttr("else_branch");
  std::optional<bool> known = n.constantBool(condition);
  if (!n)
    return;
  if (known)
    return setResults(n, n.importGraph(*known ? *thenGraph : *elseGraph, {}, *known ? "then" : "else"));
  SmallVector<Value> results = n.importGraph(*thenGraph, {}, "then", condition);
  SmallVector<Value> others = n.importGraph(*elseGraph, {}, "else", n.emit<LogicalNotOp>({condition}));
  if (!n)
    return;
  if (results.size() != others.size())
    return n.error("one branch gives " + Twine(results.size()) + " values, the other " + Twine(others.size()));
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = choose(n, condition, results[i], others[i], "output " + Twine(i));
  setResults(n, results);
}

//===-- loops ---------------------------------------------------------------===//

/// What the iterations gave, joined along a new axis. `declared` is the graph's output, for loops that never run.
static Value stack(NodeBinder &n, SmallVector<Value> values, int64_t axis, bool reverse,
                   const onnx::ValueInfoProto &declared) {
  if (!n)
    return nullptr;
  if (values.empty()) {
    const auto &tensor = declared.type().tensor_type();
    SmallVector<int64_t> dims;
    for (const auto &dim : tensor.shape().dim())
      dims.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
    auto type = tensorType(tensor.elem_type(), dims, "scan output '" + declared.name() + "'", n.builder.getContext());
    if (!type || !tensor.has_shape()) {
      n.error(type ? "scan output '" + declared.name() + "' of a loop that never runs has no declared shape"
                   : llvm::toString(type.takeError()));
      return nullptr;
    }
    dims.insert(dims.begin() + n.axis(axis, dims.size() + 1), 0);
    return n.splat(RankedTensorType::get(dims, type->getElementType()), 0);
  }
  for (Value value : values) {
    n.error(n.bounded().refuse(value, "scan output '" + declared.name() + "'", "stacking iterations"));
    if (!isa<RankedTensorType>(value.getType()) || value.getType() != values.front().getType()) {
      n.error("scan output '" + declared.name() + "' is " + text(values.front().getType()) + " in one iteration and " +
              text(value.getType()) + " in another; all must be tensors of one static shape");
      return nullptr;
    }
  }
  if (reverse)
    std::reverse(values.begin(), values.end());
  return n.emit<StackOp>({ArrayRef<Value>(values)}, {{"axis", n.axis(axis, n.rank(values.front()) + 1)}});
}

/// Inputs: trip count, condition, carried values. The graph takes the iteration's number, the condition and the carried
/// values; it gives the next condition, the next carried values, and what is stacked. With a condition that is known at
/// run time only, all iterations up to the trip count are computed, and those behind the end change nothing.
static void loop(NodeBinder &n) {
  const onnx::GraphProto *body = n.graphAttr("body");
  std::optional<int64_t> trips;
  if (n.hasInput(0))
    trips = n.intScalar(0, "M");
  Value condition = n.optionalInput(1);
  bool isConditional = condition != nullptr;
  SmallVector<Value> carried;
  for (unsigned i = 2; i < n.numInputs(); ++i)
    if (!carried.emplace_back(n.anyInput(i)))
      n.error("input " + Twine(i) + " is missing");
  if (!n)
    return;
  if (body->output_size() < int(1 + carried.size()))
    return n.error("carries " + Twine(carried.size()) + " values, but its body gives " + Twine(body->output_size()) +
                   " with the condition");
  if (!trips && !isConditional)
    return n.error("has neither a trip count nor a condition: it never ends");
  size_t numScans = body->output_size() - 1 - carried.size();
  std::vector<SmallVector<Value>> scans(numScans);
  /// Whether this iteration counts; null: it does.
  Value active;
  for (int64_t trip = 0; !trips || trip < *trips; ++trip) {
    std::optional<bool> known = n.constantBool(condition);
    if (!n || known == false)
      break;
    if (isConditional && !known) {
      if (!trips)
        return n.error("the condition of iteration " + Twine(trip) +
                       " is known at run time only: a loop needs a constant condition or trip count");
      if (numScans)
        return n.error("the number of iterations is known at run time only, and with it the shape of scan output '" +
                       body->output(1 + carried.size()).name() + "'");
      active = active ? n.emit<LogicalAndOp>({active, n.reshape(condition, {})}) : n.reshape(condition, {});
    }
    Type i1 = n.builder.getI1Type(), i64 = n.builder.getI64Type();
    SmallVector<Value> arguments{n.constant(DenseElementsAttr::get(RankedTensorType::get({}, i64), trip)),
                                 condition ? condition
                                           : n.constant(DenseElementsAttr::get(RankedTensorType::get({}, i1), true))};
    llvm::append_range(arguments, carried);
    SmallVector<Value> results = n.importGraph(*body, arguments, Twine(trip), active);
    if (!n)
      return;
    // Where the node has no condition that of the body is ignored.
    if (isConditional) {
      condition = results[0];
      n.error(n.bounded().refuse(condition, "the condition after iteration " + std::to_string(trip), "a loop"));
    }
    for (size_t i = 0; i < carried.size(); ++i)
      carried[i] = active ? choose(n, active, results[1 + i], carried[i], "carried value " + Twine(i)) : results[1 + i];
    for (size_t i = 0; i < numScans; ++i)
      scans[i].push_back(results[1 + carried.size() + i]);
  }
  for (size_t i = 0; i < numScans; ++i)
    carried.push_back(stack(n, scans[i], 0, false, body->output(int(body->output_size() - numScans + i))));
  setResults(n, carried);
}

namespace {
/// A Scan: values are carried from step to step, others are cut into slices, one for each step.
struct ScanForm {
  const onnx::GraphProto *body;
  SmallVector<int64_t> inputAxes, inputReversed, outputAxes, outputReversed;
};
} // namespace

/// The final values and what is stacked, for inputs without batch axis.
static SmallVector<Value> unrollScan(NodeBinder &n, const ScanForm &form, ArrayRef<Value> initial,
                                     ArrayRef<Value> scanned, const Twine &label) {
  SmallVector<Value> carried(initial);
  int64_t length = -1;
  SmallVector<int64_t> axes;
  for (auto [i, value] : llvm::enumerate(scanned)) {
    axes.push_back(n.axis(form.inputAxes[i], n.rank(value)));
    if (!n || n.rank(value) == 0)
      return n.error("scan input " + Twine(i) + " is a scalar"), SmallVector<Value>();
    int64_t size = n.shape(value)[axes.back()];
    if (length >= 0 && size != length)
      return n.error("scan inputs have the lengths " + Twine(length) + " and " + Twine(size)), SmallVector<Value>();
    length = size;
  }
  size_t numStacked = form.body->output_size() - carried.size();
  std::vector<SmallVector<Value>> stacked(numStacked);
  for (int64_t step = 0; step < length && n; ++step) {
    SmallVector<Value> arguments(carried);
    for (auto [i, value] : llvm::enumerate(scanned))
      arguments.push_back(n.take(value, axes[i], form.inputReversed[i] ? length - 1 - step : step));
    SmallVector<Value> results = n.importGraph(*form.body, arguments, label + Twine(step));
    if (!n)
      return {};
    for (size_t i = 0; i < results.size(); ++i)
      if (i < carried.size())
        carried[i] = results[i];
      else
        stacked[i - carried.size()].push_back(results[i]);
  }
  for (size_t i = 0; i < numStacked; ++i)
    carried.push_back(
        stack(n, stacked[i], form.outputAxes[i], form.outputReversed[i], form.body->output(int(initial.size() + i))));
  return carried;
}

static void scan(NodeBinder &n) {
  // Version 8 has lengths and a batch axis in front.
  bool isBatched = n.since() == 8;
  int64_t numScanned = n.intAttr("num_scan_inputs"), first = isBatched ? 1 : 0;
  ScanForm form{n.graphAttr("body"), {}, {}, {}, {}};
  if (isBatched && n.hasInput(0))
    return n.error("input 'sequence_lens' is not supported");
  SmallVector<Value> initial, scanned;
  for (int64_t i = first; i < n.numInputs(); ++i)
    (i < int64_t(n.numInputs()) - numScanned ? initial : scanned).push_back(n.input(i));
  if (!n)
    return;
  if (numScanned < 1 || int64_t(scanned.size()) != numScanned || form.body->output_size() < int(initial.size()))
    return n.error("attribute 'num_scan_inputs' is " + Twine(numScanned) +
                   ", which fits neither the inputs nor the body");
  size_t numStacked = form.body->output_size() - initial.size();
  auto list = [&](StringRef name, size_t count) {
    SmallVector<int64_t> values = n.intsAttr(name).value_or(SmallVector<int64_t>(count, 0));
    if (values.size() != count)
      n.error("attribute '" + name + "' has " + Twine(values.size()) + " elements, needs " + Twine(count));
    return values;
  };
  form.inputAxes = isBatched ? SmallVector<int64_t>(numScanned, 0) : list("scan_input_axes", numScanned);
  form.inputReversed = list(isBatched ? "directions" : "scan_input_directions", numScanned);
  form.outputAxes = isBatched ? SmallVector<int64_t>(numStacked, 0) : list("scan_output_axes", numStacked);
  form.outputReversed = isBatched ? SmallVector<int64_t>(numStacked, 0) : list("scan_output_directions", numStacked);
  if (!n)
    return;
  if (!isBatched)
    return setResults(n, unrollScan(n, form, initial, scanned, ""));

  int64_t batch = n.rank(scanned[0]) ? n.shape(scanned[0])[0] : 0;
  auto ofBatch = [&](ArrayRef<Value> values, int64_t index) {
    SmallVector<Value> items;
    for (Value value : values)
      if (n.rank(value) == 0 || n.shape(value)[0] != batch)
        n.error("inputs must have a batch axis of size " + Twine(batch));
      else
        items.push_back(n.take(value, 0, index));
    return items;
  };
  std::vector<SmallVector<Value>> results(form.body->output_size());
  for (int64_t b = 0; b < batch && n; ++b) {
    SmallVector<Value> items = unrollScan(n, form, ofBatch(initial, b), ofBatch(scanned, b), Twine(b) + "/");
    for (size_t i = 0; i < items.size(); ++i)
      results[i].push_back(items[i]);
  }
  SmallVector<Value> stacked;
  for (auto [i, values] : llvm::enumerate(results))
    stacked.push_back(stack(n, values, 0, false, form.body->output(int(i))));
  setResults(n, stacked);
}

void mlir::ane::onnx_import::registerControlFlowOps(Registry &registry) {
  registry.onOp("", "If", {1, 11, 13, 16, 19, 21, 23, 24, 25}, ifOp);
  registry.onOp("", "Loop", {1, 11, 13, 16, 19, 21, 23, 24, 25}, loop);
  registry.onOp("", "Scan", {8, 9, 11, 16, 19, 21, 23, 24, 25}, scan);
}
