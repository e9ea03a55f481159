//===- NodeBinder.h - typed access to an ONNX node -------------*- C++ -*-===//
//
// What a handler sees: the node's inputs and attributes, checked, and the builder. Errors are sticky: the first one is
// kept with the node's name, every accessor still returns something harmless, and `emit` does nothing any more. A
// handler therefore reads like straight-line code, with an `if (!n) return;` before it looks into shapes.
//
// Attributes and inputs that a handler never asked for are errors: a gap is never a wrong answer.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_ONNX_NODEBINDER_H
#define ANE_LIB_IMPORT_ONNX_NODEBINDER_H

#include "Bounded.h"
#include "Model.h"
#include "Registry.h"
#include "ane/Constraint/RunTimeCheck.h"
#include "ane/IR/ANE.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::ane::onnx_import {

/// An argument of an ane op that is given by an attribute.
struct Argument {
  Argument(StringRef name, Attribute value) : name(name), attribute(value) {}
  Argument(StringRef name, bool value) : name(name), make([=](Builder &b) { return b.getBoolAttr(value); }) {}
  Argument(StringRef name, int value) : Argument(name, int64_t(value)) {}
  Argument(StringRef name, int64_t value) : name(name), make([=](Builder &b) { return b.getI64IntegerAttr(value); }) {}
  Argument(StringRef name, double value) : name(name), make([=](Builder &b) { return b.getF64FloatAttr(value); }) {}
  Argument(StringRef name, const char *value) : Argument(name, StringRef(value)) {}
  Argument(StringRef name, StringRef value) : name(name), make([=](Builder &b) { return b.getStringAttr(value); }) {}
  Argument(StringRef name, ArrayRef<int64_t> value)
      : name(name), make([copy = SmallVector<int64_t>(value)](Builder &b) { return b.getDenseI64ArrayAttr(copy); }) {}
  Argument(StringRef name, ArrayRef<bool> value)
      : name(name), make([copy = SmallVector<bool>(value)](Builder &b) { return b.getDenseBoolArrayAttr(copy); }) {}

  StringRef name;
  Attribute attribute;
  std::function<Attribute(Builder &)> make;
};

/// The operands of one ODS argument: a value, an absent optional (null), or the values of a variadic.
struct Segment {
  Segment(Value value) {
    if (value)
      values.push_back(value);
    else
      missing = true;
  }
  Segment(ArrayRef<Value> values) : values(values) {}
  static Segment optional(Value value) {
    Segment segment(value);
    segment.missing = false;
    return segment;
  }

  SmallVector<Value, 2> values;
  bool missing = false;
};

/// The sizes of a value's axes. Those that it lacks have size 0: handlers may ask before they know the rank.
class Shape : public ArrayRef<int64_t> {
public:
  Shape(ArrayRef<int64_t> sizes) : ArrayRef(sizes) {}
  int64_t operator[](size_t axis) const { return axis < size() ? ArrayRef::operator[](axis) : 0; }
  int64_t front() const { return (*this)[0]; }
  int64_t back() const { return (*this)[size() - 1]; }
  Shape drop_front(size_t count = 1) const { return ArrayRef::drop_front(std::min(count, size())); }
  Shape drop_back(size_t count = 1) const { return ArrayRef::drop_back(std::min(count, size())); }
  Shape take_front(size_t count = 1) const { return ArrayRef::take_front(count); }
  Shape take_back(size_t count = 1) const { return ArrayRef::take_back(count); }
  Shape slice(size_t first, size_t count) const { return drop_front(first).take_front(count); }
};

/// Sequences that are longer are refused.
constexpr int64_t maxSequence = 1024;

/// What nodes share: it imports the graphs that they hold, and counts what is computed for them.
class GraphImporter {
public:
  virtual ~GraphImporter() = default;

  /// Elements of all constants that are computed for a model: a small file can ask for any number.
  static constexpr int64_t maxComputed = int64_t(1) << 26;
  int64_t computed = 0;
  /// Elements of one constant that repeats fewer: whoever computes with it has all of them in memory.
  static constexpr int64_t maxRepeated = int64_t(1) << 27;

  struct Check {
    Value value; // of i64
    RunTimeCheck check;
  };
  std::vector<Check> checks;
  BoundedValues bounded;

  /// The outputs of `graph` on `inputs`, imported at the current place; `prefix` goes before the names of its nodes.
  /// Nothing, with a `problem`, or where nodes inside failed, without one.
  virtual std::optional<SmallVector<Value>> importGraph(const onnx::GraphProto &graph, ArrayRef<Value> inputs,
                                                        const std::string &prefix, std::string &problem) = 0;
};

class NodeBinder {
public:
  NodeBinder(const onnx::NodeProto &node, const Registry::Entry &entry, Location loc, ArrayRef<Value> inputs,
             ArrayRef<bool> wantedResults, Model &model, GraphImporter &graphs, OpBuilder &builder);

  /// Checks the inputs against the operator's signature and runs its handler. Attributes and inputs that it did not
  /// read, and wanted results that it did not give, are errors.
  void run();

  const onnx::NodeProto &node;
  const Location loc;
  OpBuilder &builder;

  /// The since-version that the handler was registered for.
  int64_t since() const { return entry.since; }
  explicit operator bool() const { return problem.empty() && !abandoned; }
  StringRef getProblem() const { return problem; }
  /// Records `message` unless the node already has an error.
  void error(const Twine &message);

  //===-- inputs ------------------------------------------------------------===//
  unsigned numInputs() const { return inputs.size(); }
  /// Whether the node has the input, and it is constant once all dimensions are bound.
  bool isConstantInput(unsigned index) const;
  bool hasInput(unsigned index) const { return index < inputs.size() && inputs[index]; }
  /// The input; an error if the node lacks it.
  Value input(unsigned index);
  /// The input, or null.
  Value optionalInput(unsigned index);
  /// All inputs, for variadic ops; an error if there is none or one is left out.
  SmallVector<Value> allInputs();
  /// The input, a sequence or an optional among others, or null.
  Value anyInput(unsigned index);
  /// The elements of an input that is a sequence; an error if it is not.
  SmallVector<Value> sequence(unsigned index);
  /// A constant input; an error if it is not constant. `name`: as below.
  DenseElementsAttr constantElements(unsigned index, StringRef name);
  /// The elements of a constant integer (or bool) input. `name` is the input's name in the ONNX specification; an
  /// error if the input is not constant.
  SmallVector<int64_t> ints(unsigned index, StringRef name);
  /// The one element of a constant integer input.
  int64_t intScalar(unsigned index, StringRef name);
  /// The elements of a constant float input; an error if it is not constant.
  SmallVector<double> floats(unsigned index, StringRef name);
  /// The one element of a constant float input.
  double floatScalar(unsigned index, StringRef name);
  /// The value of a constant with one float element; an error if it is not that.
  double constantScalar(Value value);

  /// The elements of a small constant; null for other values and for null.
  DenseElementsAttr constantElements(Value value);
  /// The element of a constant with one boolean; an error if `value` is another constant than that.
  std::optional<bool> constantBool(Value value);

  //===-- attributes --------------------------------------------------------===//
  bool hasAttr(StringRef name);
  /// The attribute, or `fallback`; an error if it is missing and there is no fallback, or of another type.
  int64_t intAttr(StringRef name, std::optional<int64_t> fallback = std::nullopt);
  bool boolAttr(StringRef name, bool fallback);
  double floatAttr(StringRef name, std::optional<double> fallback = std::nullopt);
  std::string stringAttr(StringRef name, StringRef fallback, ArrayRef<StringRef> allowed);
  std::optional<SmallVector<int64_t>> intsAttr(StringRef name);
  std::optional<SmallVector<double>> floatsAttr(StringRef name);
  std::optional<SmallVector<std::string>> stringsAttr(StringRef name);
  /// The tensor attribute as a constant; null if it is missing.
  TypedAttr tensorAttr(StringRef name);
  TypedAttr sparseTensorAttr(StringRef name);
  /// The graph; null, and an error, if it is missing.
  const onnx::GraphProto *graphAttr(StringRef name);
  /// Those of the attributes that the node has, for `delegate`.
  std::vector<onnx::AttributeProto> attributes(ArrayRef<StringRef> names);
  /// An attribute that changes nothing here.
  void ignoreAttr(StringRef name) { (void)hasAttr(name); }
  /// An attribute that is supported with one value only.
  void requireAttr(StringRef name, int64_t only, int64_t fallback);

  //===-- types -------------------------------------------------------------===//
  /// Of a value that could not be built, that of a number.
  RankedTensorType type(Value value) const {
    auto tensor = value ? llvm::dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
    return tensor ? tensor : RankedTensorType::get({}, builder.getF32Type());
  }
  Type elementType(Value value) const { return type(value).getElementType(); }
  Shape shape(Value value) const { return type(value).getShape(); }
  int64_t rank(Value value) const { return type(value).getRank(); }
  bool isFloat(Value value) const { return isa<FloatType>(elementType(value)); }
  /// `axis` counted from the front; an error if it is outside [-rank, rank).
  int64_t axis(int64_t axis, int64_t rank);
  SmallVector<int64_t> axes(ArrayRef<int64_t> axes, int64_t rank);

  //===-- emission ----------------------------------------------------------===//
  /// Emits an op, or what it folds to. Arguments are in the order of the op's record.
  template <typename OpTy>
  SmallVector<Value> emitAll(ArrayRef<Segment> operands, ArrayRef<Argument> arguments = {}) {
    return emitOp(OpTy::getOperationName(), operands, arguments,
                  OpTy::template hasTrait<OpTrait::AttrSizedOperandSegments>());
  }
  template <typename OpTy>
  Value emit(ArrayRef<Segment> operands, ArrayRef<Argument> arguments = {}) {
    SmallVector<Value> values = emitAll<OpTy>(operands, arguments);
    return values.empty() ? Value() : values.front();
  }
  /// The outputs of `graph` on `inputs`, imported here; `label` tells it from the node's other graphs, or one iteration
  /// from another. Empty if the graph could not be imported. Where `active`, a boolean, is given and false, nothing of
  /// the graph is checked when it runs.
  SmallVector<Value> importGraph(const onnx::GraphProto &graph, ArrayRef<Value> inputs, const Twine &label,
                                 Value active = nullptr);
  /// A sequence: a value that stands for `elements` while the model is imported.
  Value makeSequence(ArrayRef<Value> elements);
  /// The results of op `opType` of the default domain, as its own handler emits it.
  SmallVector<Value> delegateAll(StringRef opType, ArrayRef<Value> operands, ArrayRef<onnx::AttributeProto> attributes,
                                 unsigned numResults);
  Value delegate(StringRef opType, ArrayRef<Value> operands, ArrayRef<onnx::AttributeProto> attributes = {}) {
    return delegateAll(opType, operands, attributes, 1)[0];
  }
  Value constant(TypedAttr value);
  /// The type of a constant of `shape` that is about to be computed; null, and an error, if there is no such tensor or
  /// too many elements are computed (GraphImporter::maxComputed).
  RankedTensorType constantType(ArrayRef<int64_t> shape, Type element);
  /// A tensor<NxI64> of `values`.
  Value intsConstant(ArrayRef<int64_t> values);
  /// A rank-0 constant of `element` type. An error if an integer type can't hold `value`.
  Value scalar(Type element, double value);
  /// A constant of `type` filled with `value`.
  Value splat(RankedTensorType type, double value);
  Value cast(Value value, Type element);
  Value reshape(Value value, ArrayRef<int64_t> shape);
  Value transpose(Value value, ArrayRef<int64_t> perm);
  /// Index `index` of `axis`, which is dropped.
  Value take(Value value, int64_t axis, int64_t index);
  /// `value` repeated to `shape`, to which its own broadcasts.
  Value broadcast(Value value, ArrayRef<int64_t> shape);

  /// `y` as it broadcasts to `x` in elementwise ops before opset 7: attribute 'axis' is where its axes begin in x.
  Value legacyBroadcast(Value x, Value y);

  //===-- results -----------------------------------------------------------===//
  /// Whether any node or output reads result `index`.
  bool wantsResult(unsigned index) const { return index < wanted.size() && wanted[index]; }
  void result(unsigned index, Value value);
  /// `value` has room for the most entries along `axis`; behind those that there are, `count` (one i64), stands
  /// `filler`.
  void boundedResult(unsigned index, Value value, int64_t axis, int64_t filler, Value count) {
    addRoom(value, axis, filler, count);
    result(index, value);
  }
  void addRoom(Value value, int64_t axis, int64_t filler, Value count);
  /// What only the data know of the size of values.
  const BoundedValues &bounded() const { return graphs.bounded; }
  /// The runtime refuses other elements of `value` than those of 0 to `max` that are `total` together; `what` they are.
  void check(Value value, const Twine &what, int64_t max, int64_t total);
  ArrayRef<Value> getResults() const { return results; }

private:
  /// "node 'nms' (NonMaxSuppression)"
  std::string display() const;
  template <typename Tensor>
  TypedAttr readTensor(StringRef name, const Tensor &tensor);
  const onnx::AttributeProto *find(StringRef name, int type, StringRef typeName);
  /// The results of an op that reads or gives a tensor without elements, in other words.
  std::optional<SmallVector<Value>> withoutEmptyTensors(Operation *op);
  /// Whether a value may have `type`; an error if it has too many elements.
  bool admit(Type type);
  /// An error that a constant of `type` is needed; `limit` says which are not.
  void refuseConstant(RankedTensorType type, const Twine &limit);
  /// Whether a constant of `type` may be made of `given` elements; an error if it repeats them too often.
  bool admitRepeated(Type type, int64_t given);
  SmallVector<Value> emitOp(StringRef name, ArrayRef<Segment> operands, ArrayRef<Argument> arguments,
                            bool hasSegmentSizes);

  const Registry::Entry &entry;
  SmallVector<Value> inputs;
  SmallVector<bool> wanted;
  Model &model;
  GraphImporter &graphs;
  SmallVector<Value> results;
  llvm::SmallBitVector inputsRead;
  llvm::StringSet<> attributesRead;
  std::string problem;
  /// A graph inside failed, and has reported that.
  bool abandoned = false;
};

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_NODEBINDER_H
