//===- Bounded.cpp - values whose size only the data know -----------------===//

#include "Bounded.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

const BoundedValues::Room *BoundedValues::lookup(Value value) const {
  auto found = value ? rooms.find(value) : rooms.end();
  return found == rooms.end() ? nullptr : &found->second;
}

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

std::string BoundedValues::refuse(Value value, const std::string &name, StringRef reader) const {
  const Room *room = lookup(value);
  if (!room)
    return "";
  return name + " has room for " + std::to_string(shapeOf(value)[room->axis]) +
         " entries, but only the data know how many of them " + room->maker + " gives, and " + reader.str() +
         " does not keep them apart; remedy: make what it gives an output of the model, and go on in the program that "
         "runs it";
}

namespace {
/// A node that reads values with room: where that room is in its results. Nothing where rows meet each other.
class Follower {
public:
  Follower(const onnx::NodeProto &node, ArrayRef<Value> inputs, ArrayRef<std::optional<int64_t>> axes)
      : node(node), inputs(inputs), axes(axes) {}

  std::optional<int64_t> axisIn(Value result) const {
    StringRef op = node.op_type();
    if (!node.domain().empty() && node.domain() != "ai.onnx")
      return std::nullopt;
    ArrayRef<int64_t> shape = shapeOf(result);
    if (op == "Transpose")
      return transposed();
    if (op == "Gather")
      return gathered();
    if (op == "GatherND")
      return !axes[0] && !attribute("batch_dims", 0) && *axes[1] + 1 < rank(1) ? axes[1] : std::nullopt;
    if (op == "Split" && axes.size() > 1 && axes[1])
      return std::nullopt;
    if (op == "Concat" || op == "Split")
      return besides(*axisFromFront(attribute("axis", op == "Split" ? 0 : -1), shape.size()));
    if (op == "Slice")
      return keepsAll(shape) && forwards() ? axes[0] : std::nullopt;
    if (op == "Squeeze" || op == "Unsqueeze" || op == "Reshape" || op == "Flatten")
      return reshaped(shape);
    return isElementwise(op) ? broadcast(shape) : std::nullopt;
  }

private:
  static bool isElementwise(StringRef op) {
    static const llvm::StringSet<> ops = {"Abs",
                                          "Add",
                                          "And",
                                          "Cast",
                                          "Ceil",
                                          "Clip",
                                          "Div",
                                          "Equal",
                                          "Exp",
                                          "Floor",
                                          "Greater",
                                          "Identity",
                                          "GreaterOrEqual",
                                          "Less",
                                          "LessOrEqual",
                                          "Log",
                                          "Max",
                                          "Min",
                                          "Mod",
                                          "Mul",
                                          "Neg",
                                          "Not",
                                          "Or",
                                          "Pow",
                                          "Reciprocal",
                                          "Relu",
                                          "Round",
                                          "Sigmoid",
                                          "Sign",
                                          "Sqrt",
                                          "Sub",
                                          "Sum",
                                          "Tanh",
                                          "Where",
                                          "Xor"};
    return ops.contains(op);
  }

  int64_t rank(unsigned input) const { return shapeOf(inputs[input]).size(); }
  /// The size of the room: the same in all inputs that have one.
  int64_t room() const {
    for (auto [input, axis] : llvm::zip(inputs, axes))
      if (axis)
        return shapeOf(input)[*axis];
    return 0;
  }
  int64_t attribute(StringRef name, int64_t fallback) const {
    for (const onnx::AttributeProto &given : node.attribute())
      if (given.name() == name)
        return given.i();
    return fallback;
  }

  std::optional<int64_t> transposed() const {
    for (const onnx::AttributeProto &given : node.attribute())
      if (given.name() == "perm")
        return std::distance(given.ints().begin(), llvm::find(given.ints(), *axes[0]));
    return rank(0) - 1 - *axes[0];
  }

  std::optional<int64_t> gathered() const {
    int64_t axis = *axisFromFront(attribute("axis", 0), rank(0));
    if (axes[0] && axes[1])
      return std::nullopt;
    if (axes[1])
      return axis + *axes[1];
    if (*axes[0] == axis)
      return std::nullopt;
    return *axes[0] < axis ? *axes[0] : *axes[0] - 1 + rank(1);
  }

  /// Rows stay apart where an op joins or cuts another axis.
  std::optional<int64_t> besides(int64_t axis) const {
    std::optional<int64_t> common;
    for (auto [input, own] : llvm::zip(inputs, axes)) {
      if (own && (*own == axis || common.value_or(*own) != *own))
        return std::nullopt;
      if (own)
        common = own;
    }
    return common;
  }

  bool keepsAll(ArrayRef<int64_t> shape) const { return axes[0] && shape[*axes[0]] == room(); }
  /// A slice without negative steps; in opsets below 10 there are none.
  bool forwards() const {
    DenseElementsAttr steps;
    if (inputs.size() < 5 || !inputs[4])
      return true;
    if (!matchPattern(inputs[4], m_Constant(&steps)))
      return false;
    return llvm::none_of(steps.getValues<APInt>(), [](const APInt &step) { return step.isNegative(); });
  }

  std::optional<int64_t> reshaped(ArrayRef<int64_t> shape) const {
    if (!axes[0])
      return std::nullopt;
    int64_t before = ShapedType::getNumElements(shapeOf(inputs[0]).take_front(*axes[0]));
    for (size_t i = 0; i < shape.size(); ++i)
      if (shape[i] == room() && ShapedType::getNumElements(shape.take_front(i)) == before)
        return i;
    return std::nullopt;
  }

  std::optional<int64_t> broadcast(ArrayRef<int64_t> shape) const {
    std::optional<int64_t> common;
    for (auto [i, own] : llvm::enumerate(axes)) {
      if (!own)
        continue;
      int64_t axis = *own + int64_t(shape.size()) - rank(i);
      if (shape[axis] != room() || common.value_or(axis) != axis)
        return std::nullopt;
      common = axis;
    }
    return common;
  }

  const onnx::NodeProto &node;
  ArrayRef<Value> inputs;
  ArrayRef<std::optional<int64_t>> axes;
};
} // namespace

std::string BoundedValues::follow(const onnx::NodeProto &node, ArrayRef<Value> inputs, ArrayRef<Value> results) {
  SmallVector<std::optional<int64_t>> axes;
  const Room *room = nullptr;
  int64_t which = 0;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    const Room *found = lookup(input);
    axes.push_back(found ? std::optional(found->axis) : std::nullopt);
    if (found && !room) {
      room = found;
      which = i;
    }
  }
  if (!room)
    return "";
  Room own = *room;
  for (Value result : results) {
    if (!result)
      continue;
    std::optional<int64_t> axis;
    if (isa<RankedTensorType>(result.getType()))
      axis = Follower(node, inputs, axes).axisIn(result);
    const Room *made = lookup(result);
    if (!axis || (made && made->axis != *axis))
      return refuse(inputs[which], "input '" + node.input(which) + "'", "this op");
    add(result, {*axis, own.filler, own.maker, own.count});
  }
  return "";
}
