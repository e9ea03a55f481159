//===- ValueRanges.cpp - bounds of values ---------------------------------===//

#include "ane/Constraint/ValueRanges.h"
#include "ane/IR/ConstantExpr.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

/// Larger constants are weights, of which nothing is assumed.
static constexpr int64_t weightElements = 4096;

static FloatRange rangeOfConstant(Value value) {
  if (std::optional<double> splat = getSplat(value))
    return FloatRange::of(*splat);
  auto constant = value.getDefiningOp<ConstOp>();
  auto values = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  if (!values || values.getNumElements() > weightElements || values.empty())
    return {};
  FloatRange range = FloatRange::empty();
  for (APFloat element : values.getValues<APFloat>())
    range = unite({range, FloatRange::of(element.convertToDouble())});
  return range;
}

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

namespace {
/// Nothing until a value was reached.
struct KnownRange {
  std::optional<FloatRange> range;

  static KnownRange join(const KnownRange &a, const KnownRange &b) {
    if (!a.range || !b.range)
      return a.range ? a : b;
    return {unite({*a.range, *b.range})};
  }
  bool operator==(const KnownRange &other) const { return range == other.range; }
  void print(raw_ostream &os) const {
    if (range)
      os << "[" << range->low << ", " << range->high << "]";
  }
};

using RangeLattice = dataflow::Lattice<KnownRange>;

class FloatRangeAnalysis : public dataflow::SparseForwardDataFlowAnalysis<RangeLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  void setToEntryState(RangeLattice *lattice) override { set(lattice, FloatRange()); }

  void visitOperation(Operation *op, ArrayRef<const RangeLattice *> operands,
                      ArrayRef<RangeLattice *> results) override {
    if (isConstantExpr(op)) {
      for (RangeLattice *result : results)
        set(result, isFloat(result->getPoint()) ? rangeOfConstant(result->getPoint()) : FloatRange());
      return;
    }
    auto ranged = dyn_cast<ValueRangeOpInterface>(op);
    if (!ranged)
      return setAllToEntryStates(results);
    SmallVector<FloatRange> ranges;
    for (const RangeLattice *operand : operands) {
      if (!operand->getValue().range)
        return; // visited again when it is known
      ranges.push_back(*operand->getValue().range);
    }
    SmallVector<FloatRange> found(results.size());
    ranged.inferResultRanges(ranges, [&](Value result, FloatRange range) {
      if (isFloat(result) && !std::isnan(range.low) && !std::isnan(range.high))
        found[cast<OpResult>(result).getResultNumber()] = range;
    });
    for (auto [result, range] : llvm::zip_equal(results, found))
      set(result, range);
  }

private:
  void set(RangeLattice *lattice, FloatRange range) { propagateIfChanged(lattice, lattice->join(KnownRange{range})); }
};
} // namespace

ValueRanges::ValueRanges(Operation *root) : root(root) {}
ValueRanges::~ValueRanges() = default;

FloatRange ValueRanges::of(Value value) {
  if (!solver) {
    solver = std::make_unique<DataFlowSolver>(DataFlowConfig().setInterprocedural(false));
    solver->load<dataflow::DeadCodeAnalysis>();
    solver->load<FloatRangeAnalysis>();
    if (failed(solver->initializeAndRun(root)))
      llvm_unreachable("analyses don't fail");
  }
  const auto *lattice = solver->lookupState<RangeLattice>(value);
  return lattice && lattice->getValue().range ? *lattice->getValue().range : FloatRange();
}

const InputArithmetic &ValueRanges::inputArithmetic() {
  if (!arithmetic)
    arithmetic.emplace(root);
  return *arithmetic;
}
