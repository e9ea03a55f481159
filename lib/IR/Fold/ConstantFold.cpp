//===- ConstantFold.cpp - values of ops on small constants ----------------===//

#include "ane/IR/ConstantFold.h"
#include "Data.h"
#include "mlir/Interfaces/FoldInterfaces.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::fold;

/// Larger data isn't copied into the IR by the dialect's folder.
static constexpr int64_t maxFolded = 1024;

static const RuleTable &rules() {
  static const RuleTable table = [] {
    RuleTable table;
    addArithmeticRules(table);
    addMovementRules(table);
    addReductionRules(table);
    return table;
  }();
  return table;
}

using Attributes = std::optional<SmallVector<DenseElementsAttr>>;

/// The parts of a split are slices along the axis.
static Attributes foldSplit(SplitOp op, const Data &x) {
  SmallVector<DenseElementsAttr> parts;
  auto shape = op.getX().getType().getShape();
  int64_t axis = op.getAxis() < 0 ? op.getAxis() + int64_t(shape.size()) : op.getAxis(), begin = 0;
  SmallVector<int64_t> strides = stridesOf(shape);
  for (Type result : op.getResultTypes()) {
    Data part{cast<RankedTensorType>(result), {}, {}};
    forEachIndex(part.shape(), [&](ArrayRef<int64_t> index) {
      part.append(x, x.shape().empty() ? 0 : dot(index, strides) + begin * strides[axis]);
    });
    parts.push_back(write(part));
    begin += part.type.getDimSize(axis);
  }
  return parts;
}

/// The result of `op` on splats, if it is a splat, too.
static DenseElementsAttr foldSplats(Operation *op, const RuleEntry &entry, ArrayRef<Data> operands,
                                    RankedTensorType type) {
  auto scalar = RankedTensorType::get({}, type.getElementType());
  MaybeData result;
  if (entry.rearranges)
    result = operands[0];
  else if (op->hasTrait<BroadcastElementwise>())
    result = entry.rule(op, operands, scalar);
  DenseElementsAttr value = result ? write(*result) : nullptr;
  if (!value)
    return nullptr;
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  // A splat of many elements takes the room of one.
  if (isa<FloatType>(type.getElementType()))
    return DenseElementsAttr::get(type, *value.value_begin<APFloat>());
  return DenseElementsAttr::get(type, *value.value_begin<APInt>());
}

bool mlir::ane::hasFoldRule(Operation *op) { return isa<SplitOp>(op) || rules().lookup(op); }

Attributes mlir::ane::foldConstants(Operation *op, ArrayRef<DenseElementsAttr> operands, int64_t maxElements) {
  const RuleEntry *entry = rules().lookup(op);
  auto split = dyn_cast<SplitOp>(op);
  if ((!entry && !split) || operands.empty())
    return std::nullopt;
  SmallVector<Data> data;
  bool splats = true;
  for (DenseElementsAttr operand : operands) {
    if (!operand || (!operand.isSplat() && operand.getNumElements() > maxElements))
      return std::nullopt;
    MaybeData elements = read(operand);
    if (!elements)
      return std::nullopt;
    splats &= operand.isSplat();
    data.push_back(std::move(*elements));
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (splats && entry)
    if (DenseElementsAttr splat = foldSplats(op, *entry, data, type))
      return SmallVector<DenseElementsAttr>{splat};
  if (splats && entry && entry->rearranges)
    return std::nullopt;
  for (Type result : op->getResultTypes())
    if (cast<RankedTensorType>(result).getNumElements() > maxElements)
      return std::nullopt;
  Attributes results;
  if (split) {
    results = foldSplit(split, data[0]);
  } else {
    // Rules see splats as scalars where that broadcasts, and in full elsewhere.
    MaybeData result = entry->rule(op, data, type);
    if (result)
      results = SmallVector<DenseElementsAttr>{write(*result)};
  }
  if (!results || llvm::is_contained(*results, nullptr))
    return std::nullopt;
  return results;
}

namespace {
struct ANEFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  LogicalResult fold(Operation *op, ArrayRef<Attribute> operands, SmallVectorImpl<OpFoldResult> &results) const final {
    SmallVector<DenseElementsAttr> constants;
    for (Attribute operand : operands) {
      constants.push_back(dyn_cast_if_present<DenseElementsAttr>(operand));
      if (!constants.back())
        return failure();
    }
    auto folded = foldConstants(op, constants, maxFolded);
    if (!folded)
      return failure();
    results.append(folded->begin(), folded->end());
    return success();
  }
};
} // namespace

std::unique_ptr<DialectInterface> mlir::ane::createFoldInterface(Dialect *dialect) {
  return std::make_unique<ANEFoldInterface>(dialect);
}
