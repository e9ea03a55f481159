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

/// The type of a result: that of elements which are held wider than their type says, if there are any among `operands`.
static RankedTensorType resultType(RankedTensorType declared, ArrayRef<Data> operands) {
  auto isWider = [&](const Data &x) {
    return isa<FloatType>(declared.getElementType()) && x.isFloat() &&
           x.type.getElementTypeBitWidth() > declared.getElementTypeBitWidth();
  };
  auto wide = llvm::find_if(operands, isWider);
  return wide == operands.end() ? declared : declared.clone(wide->type.getElementType());
}

/// `value` in all elements of a tensor of `type`, in the room of one; null where the element type can't hold it.
static DenseElementsAttr splatOf(const Data &value, RankedTensorType type) {
  DenseElementsAttr scalar = write({RankedTensorType::get({}, type.getElementType()), value.ints, value.floats});
  if (!scalar)
    return nullptr;
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (isa<FloatType>(type.getElementType()))
    return DenseElementsAttr::get(type, *scalar.value_begin<APFloat>());
  return DenseElementsAttr::get(type, *scalar.value_begin<APInt>());
}

/// One result of a view op on `x`; nothing where strides can't say it.
static MaybeData seenThrough(StridedViewOpInterface op, const Data &x, unsigned number) {
  std::optional<StridedView> view = op.viewResult(StridedView::dense(x.shape()), number);
  if (!view)
    return std::nullopt;
  Data result{cast<RankedTensorType>(op->getResult(number).getType()).clone(x.type.getElementType()), {}, {}};
  forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) { result.append(x, view->at(index)); });
  return result;
}

bool mlir::ane::hasFoldRule(Operation *op) { return isa<StridedViewOpInterface>(op) || rules().lookup(op); }

Attributes mlir::ane::foldConstants(Operation *op, ArrayRef<DenseElementsAttr> operands, int64_t maxElements) {
  if (!hasFoldRule(op) || operands.empty())
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
  auto view = dyn_cast<StridedViewOpInterface>(op);
  const Rule *rule = rules().lookup(op);
  bool spreads = splats && op->hasTrait<BroadcastElementwise>();
  SmallVector<DenseElementsAttr> results;
  for (OpResult value : op->getResults()) {
    auto type =
        resultType(cast<RankedTensorType>(value.getType()), isa<CastOp>(op) ? ArrayRef<Data>() : ArrayRef(data));
    if (view && operands[0].isSplat()) {
      results.push_back(splatOf(data[0], type));
    } else if (type.getNumElements() > maxElements && !spreads) {
      return std::nullopt;
    } else {
      MaybeData result = view ? seenThrough(view, data[0], value.getResultNumber()) : std::nullopt;
      // Rules see splats as scalars where that broadcasts, and in full elsewhere.
      if (!result && rule)
        result = (*rule)(op, data, spreads ? RankedTensorType::get({}, type.getElementType()) : type);
      results.push_back(!result ? nullptr : spreads ? splatOf(*result, type) : write(*result));
    }
    if (!results.back())
      return std::nullopt;
  }
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
