//===- Sequence.cpp - ONNX sequences and optionals ------------------------===//
//
// A sequence is a list of values that the importer knows one by one; nothing of it is left in the module. An optional
// is the value it holds, or NoneType.
//
//===----------------------------------------------------------------------===//

#include "../NodeBinder.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

static void sequenceConstruct(NodeBinder &n) {
  SmallVector<Value> elements = n.allInputs();
  if (n)
    n.result(0, n.makeSequence(elements));
}

static void sequenceEmpty(NodeBinder &n) {
  n.ignoreAttr("dtype");
  n.result(0, n.makeSequence({}));
}

/// The constant position in input `index`, counted from the front; the last one if the input is left out.
static size_t position(NodeBinder &n, unsigned index, size_t end, size_t fallback) {
  if (!n.hasInput(index))
    return fallback;
  int64_t given = n.intScalar(index, "position"), size = end;
  if (std::optional<int64_t> known = axisFromFront(given, size))
    return *known;
  // Inserting behind the last element is fine, too.
  if (n && !(given == size && fallback == end))
    n.error("position " + Twine(given) + " is outside a sequence of " + Twine(size));
  return fallback;
}

static void sequenceAt(NodeBinder &n) {
  SmallVector<Value> elements = n.sequence(0);
  size_t at = position(n, 1, elements.size(), 0);
  if (n && at < elements.size())
    n.result(0, elements[at]);
  else
    n.error("the sequence is empty");
}

static void sequenceInsert(NodeBinder &n) {
  SmallVector<Value> elements = n.sequence(0);
  Value element = n.input(1);
  size_t at = position(n, 2, elements.size(), elements.size());
  if (!n)
    return;
  elements.insert(elements.begin() + at, element);
  n.result(0, n.makeSequence(elements));
}

static void sequenceErase(NodeBinder &n) {
  SmallVector<Value> elements = n.sequence(0);
  if (n && elements.empty())
    return n.error("the sequence is empty");
  size_t at = position(n, 1, elements.size(), elements.size() - 1);
  if (!n)
    return;
  elements.erase(elements.begin() + at);
  n.result(0, n.makeSequence(elements));
}

static void sequenceLength(NodeBinder &n) {
  int64_t length = n.sequence(0).size();
  n.result(0, n.constant(DenseElementsAttr::get(RankedTensorType::get({}, n.builder.getI64Type()), length)));
}

/// Pieces of `split` (one size, the last may be smaller, or a list), or single indices.
static void splitToSequence(NodeBinder &n) {
  Value x = n.input(0);
  int64_t given = n.intAttr("axis", 0);
  bool keepDims = n.boolAttr("keepdims", true);
  if (!n)
    return;
  int64_t axis = n.axis(given, n.rank(x));
  if (!n || n.rank(x) == 0)
    return n.error("a scalar can't be split");
  int64_t size = n.shape(x)[axis];
  SmallVector<int64_t> pieces;
  bool isList = n.hasInput(1) && n.rank(n.input(1)) > 0;
  if (isList) {
    pieces = n.ints(1, "split");
  } else {
    int64_t step = n.hasInput(1) ? n.intScalar(1, "split") : 1;
    if (n && (step < 1 || size / step > maxSequence))
      return n.error("pieces of " + Twine(step) + " make no or too long a sequence of an axis of " + Twine(size));
    for (int64_t done = 0; n && done < size; done += step)
      pieces.push_back(std::min(step, size - done));
  }
  keepDims |= n.hasInput(1);
  int64_t begin = 0;
  SmallVector<Value> elements;
  for (int64_t piece : pieces) {
    if (piece < 0 || piece > size - begin)
      return n.error("input 'split' does not add up to the axis of " + Twine(size));
    if (!n)
      return;
    if (!keepDims) {
      elements.push_back(n.take(x, axis, begin));
    } else {
      SmallVector<int64_t> start(n.rank(x), 0), sizes(n.shape(x));
      start[axis] = begin;
      sizes[axis] = piece;
      elements.push_back(
          n.emit<SliceBySizeOp>({x}, {{"begin", ArrayRef<int64_t>(start)}, {"size", ArrayRef<int64_t>(sizes)}}));
    }
    begin += piece;
  }
  if (n && begin != size)
    return n.error("input 'split' does not add up to the axis of " + Twine(size));
  if (n)
    n.result(0, n.makeSequence(elements));
}

static void concatFromSequence(NodeBinder &n) {
  SmallVector<Value> elements = n.sequence(0);
  int64_t given = n.intAttr("axis");
  bool newAxis = n.boolAttr("new_axis", false);
  if (!n)
    return;
  if (elements.empty() || llvm::any_of(elements, [](Value v) { return !isa<RankedTensorType>(v.getType()); }))
    return n.error("the sequence must hold one or more tensors");
  int64_t axis = n.axis(given, n.rank(elements[0]) + newAxis);
  n.result(0, newAxis ? n.emit<StackOp>({ArrayRef<Value>(elements)}, {{"axis", axis}})
                      : n.emit<ConcatOp>({ArrayRef<Value>(elements)}, {{"axis", axis}}));
}

/// The body on each element of the first sequence; other inputs are sequences of the same length, or given to all.
static void sequenceMap(NodeBinder &n) {
  const onnx::GraphProto *body = n.graphAttr("body");
  size_t length = n.sequence(0).size();
  std::vector<SmallVector<Value>> results(body ? body->output_size() : 0);
  for (size_t i = 0; i < length && n; ++i) {
    SmallVector<Value> arguments;
    for (unsigned j = 0; j < n.numInputs(); ++j) {
      Value value = n.anyInput(j);
      bool isSequence = value && isa<TupleType>(value.getType());
      if (!value || (isSequence && n.sequence(j).size() != length))
        return n.error("input " + Twine(j) + " must be a tensor or a sequence of " + Twine(length) + " elements");
      arguments.push_back(isSequence ? n.sequence(j)[i] : value);
    }
    for (auto [j, value] : llvm::enumerate(n.importGraph(*body, arguments, Twine(i))))
      results[j].push_back(value);
  }
  for (auto [j, values] : llvm::enumerate(results))
    if (n)
      n.result(j, n.makeSequence(values));
}

//===-- optionals -------------------------------------------------------------===//

static void optional(NodeBinder &n) {
  n.ignoreAttr("type");
  if (Value value = n.anyInput(0))
    return n.result(0, value);
  auto none = n.builder.create<UnrealizedConversionCastOp>(n.loc, n.builder.getNoneType(), ValueRange());
  n.result(0, none.getResult(0));
}

static void optionalGetElement(NodeBinder &n) {
  Value value = n.anyInput(0);
  if (!value || isa<NoneType>(value.getType()))
    return n.error("the optional is empty");
  n.result(0, value);
}

static void optionalHasElement(NodeBinder &n) {
  Value value = n.anyInput(0);
  bool has = value && !isa<NoneType>(value.getType());
  n.result(0, n.constant(DenseElementsAttr::get(RankedTensorType::get({}, n.builder.getI1Type()), has)));
}

void mlir::ane::onnx_import::registerSequenceOps(Registry &registry) {
  registry.onOp("", "ConcatFromSequence", {11}, concatFromSequence);
  registry.onOp("", "Optional", {15, 28}, optional);
  registry.onOp("", "OptionalGetElement", {15, 18, 28}, optionalGetElement);
  registry.onOp("", "OptionalHasElement", {15, 18, 28}, optionalHasElement);
  registry.onOp("", "SequenceAt", {11}, sequenceAt);
  registry.onOp("", "SequenceConstruct", {11}, sequenceConstruct);
  registry.onOp("", "SequenceEmpty", {11}, sequenceEmpty);
  registry.onOp("", "SequenceErase", {11}, sequenceErase);
  registry.onOp("", "SequenceInsert", {11}, sequenceInsert);
  registry.onOp("", "SequenceLength", {11}, sequenceLength);
  registry.onOp("", "SequenceMap", {17}, sequenceMap);
  registry.onOp("", "SplitToSequence", {11, 24}, splitToSequence);
}
