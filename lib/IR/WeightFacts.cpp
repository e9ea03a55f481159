//===- WeightFacts.cpp - what is known of a weight's elements -------------===//

#include "ane/IR/WeightFacts.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "mlir/IR/Threading.h"
#include "runtime/support/half.h"
#include "llvm/Support/FileSystem.h"
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Facts of the weights that somebody asked about.
class WeightFactsTable : public DialectInterface::Base<WeightFactsTable> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WeightFactsTable)
  explicit WeightFactsTable(Dialect *dialect) : Base(dialect) {}

  std::optional<WeightFacts> of(WeightAttr weight) const {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (auto entry = known.find(weight); entry != known.end())
        return entry->second;
    }
    // Nobody waits for another weight; at worst two read the same.
    std::optional<WeightFacts> facts = read(weight);
    std::lock_guard<std::mutex> lock(mutex);
    return known.try_emplace(weight, facts).first->second;
  }

private:
  static std::optional<WeightFacts> read(WeightAttr weight);

  mutable std::mutex mutex;
  mutable llvm::DenseMap<Attribute, std::optional<WeightFacts>> known;
};
} // namespace

/// Facts of elements `begin` to `end`, less than 2^31 of them; `load(i)` is element i. Several at a time, each with
/// bounds of its own, so that the compiler makes vector code of it.
template <typename Number, typename Load>
static WeightFacts factsOfPart(int64_t begin, int64_t end, Load &&load) {
  constexpr int64_t lanes = 16;
  constexpr Number infinity = std::numeric_limits<Number>::infinity();
  Number low[lanes], high[lanes];
  std::fill_n(low, lanes, infinity);
  std::fill_n(high, lanes, -infinity);
  int numbers[lanes] = {};
  auto take = [&](int64_t lane, int64_t i) {
    Number element = load(i);
    low[lane] = element < low[lane] ? element : low[lane];
    high[lane] = element > high[lane] ? element : high[lane];
    numbers[lane] += element == element;
  };
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane)
      take(lane, i + lane);
  for (; i < end; ++i)
    take(0, i);
  const int64_t found = std::accumulate(numbers, numbers + lanes, int64_t(0));
  return {{*std::min_element(low, low + lanes), *std::max_element(high, high + lanes)}, found != end - begin};
}

/// Facts of all elements, parts of them on all threads of the context.
template <typename Number, typename Load>
static WeightFacts factsOfElements(MLIRContext *context, int64_t count, Load &&load) {
  constexpr int64_t part = 1 << 18;
  std::vector<WeightFacts> parts((count + part - 1) / part);
  parallelFor(context, 0, parts.size(), [&](size_t n) {
    const int64_t begin = static_cast<int64_t>(n) * part;
    parts[n] = factsOfPart<Number>(begin, std::min(begin + part, count), load);
  });
  WeightFacts all;
  for (const WeightFacts &each : parts) {
    all.range.low = std::min(all.range.low, each.range.low);
    all.range.high = std::max(all.range.high, each.range.high);
    all.hasNaN |= each.hasNaN;
  }
  return all;
}

template <typename Element>
static Element loadAt(ArrayRef<char> bytes, int64_t index) {
  Element element; // which need not be aligned in a file
  std::memcpy(&element, bytes.data() + index * sizeof element, sizeof element);
  return element;
}

std::optional<WeightFacts> WeightFactsTable::read(WeightAttr weight) {
  auto type = cast<RankedTensorType>(weight.getType());
  Type element = type.getElementType();
  if (!element.isF16() && !element.isBF16() && !element.isF32() && !element.isF64())
    return std::nullopt;
  // Whoever needs the elements says that the file is not there, or too short.
  uint64_t fileBytes;
  if (llvm::sys::fs::file_size(weight.getFile(), fileBytes) || fileBytes < weight.getOffset() + weight.getBytes())
    return std::nullopt;
  WeightTable &files = weight.getContext()->getLoadedDialect<ANEDialect>()->getWeights();
  FailureOr<ArrayRef<char>> bytes =
      files.lookup(weight, [&] { return emitError(UnknownLoc::get(weight.getContext())); });
  if (failed(bytes))
    return std::nullopt;
  MLIRContext *context = weight.getContext();
  int64_t count = type.getNumElements();
  if (element.isF64())
    return factsOfElements<double>(context, count, [&](int64_t i) { return loadAt<double>(*bytes, i); });
  if (element.isF32())
    return factsOfElements<float>(context, count, [&](int64_t i) { return loadAt<float>(*bytes, i); });
  if (element.isF16())
    return factsOfElements<float>(context, count,
                                  [&](int64_t i) { return ::ane::rt::halfToFloat(loadAt<uint16_t>(*bytes, i)); });
  return factsOfElements<float>(
      context, count, [&](int64_t i) { return llvm::bit_cast<float>(uint32_t(loadAt<uint16_t>(*bytes, i)) << 16); });
}

std::optional<WeightFacts> mlir::ane::factsOf(WeightAttr weight) {
  return weight.getContext()->getLoadedDialect<ANEDialect>()->getRegisteredInterface<WeightFactsTable>()->of(weight);
}

std::optional<WeightFacts> mlir::ane::boundsOfMoved(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<ReshapeOp, TransposeOp, ExpandDimsOp, SqueezeOp, SliceByIndexOp, SliceBySizeOp, NarrowOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto constant = dyn_cast_or_null<ConstOp>(op);
  auto weight = constant ? dyn_cast<WeightAttr>(constant.getValue()) : nullptr;
  return weight ? factsOf(weight) : std::nullopt;
}

/// Bounds of a constant's elements from those of the weights that it is made of, without reading their elements again;
/// nothing where its ops say too little.
static std::optional<FloatRange> boundsOfExpression(Value value, int levels) {
  if (std::optional<double> splat = getSplat(value))
    return FloatRange::of(*splat);
  if (std::optional<WeightFacts> facts = boundsOfMoved(value))
    return facts->hasNaN ? std::nullopt : std::optional(facts->range);
  Operation *op = value.getDefiningOp();
  auto ranged = dyn_cast_or_null<ValueRangeOpInterface>(op);
  if (!ranged || levels == 0 || op->getNumResults() != 1)
    return std::nullopt;
  SmallVector<FloatRange> ranges;
  for (Value operand : op->getOperands()) {
    std::optional<FloatRange> range = boundsOfExpression(operand, levels - 1);
    if (!range)
      return std::nullopt;
    ranges.push_back(*range);
  }
  std::optional<FloatRange> result;
  ranged.inferResultRanges(ranges, [&](Value, FloatRange range) { result = range; });
  return result;
}

std::optional<WeightFacts> mlir::ane::factsOfConstant(Value value) {
  // What is small is cheaper to look at; nothing that models have as a mask or a factor is larger.
  constexpr int64_t small = int64_t(1) << 14, largest = int64_t(1) << 26;
  constexpr int levels = 4;
  auto type = cast<RankedTensorType>(value.getType());
  if (!isa<FloatType>(type.getElementType()) || !isConstantExpr(value))
    return std::nullopt;
  if (std::optional<WeightFacts> facts = boundsOfMoved(value))
    return facts;
  if (std::optional<double> splat = getSplat(value))
    return WeightFacts{std::isnan(*splat) ? FloatRange::empty() : FloatRange::of(*splat), std::isnan(*splat)};
  if (type.getNumElements() > small) {
    std::optional<FloatRange> range = boundsOfExpression(value, levels);
    if (range && range->isWithin(halfOverflow))
      return WeightFacts{*range, false};
    // Blocks of a GGUF file are as large as its maker found fit for fp16.
    if (!range && value.getDefiningOp<ConstexprBlocksOp>())
      return std::nullopt;
  }
  if (type.getNumElements() > largest)
    return std::nullopt;
  FailureOr<DenseElementsAttr> elements = evaluateToAttribute(value);
  if (failed(elements))
    return std::nullopt;
  WeightFacts facts;
  for (const APFloat &element : elements->getValues<APFloat>()) {
    facts.hasNaN |= element.isNaN();
    if (!element.isNaN()) {
      bool loses;
      APFloat wide = element;
      wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
      facts.range = unite({facts.range, FloatRange::of(wide.convertToDouble())});
    }
  }
  return facts;
}

FactsAhead::FactsAhead(ModuleOp module) {
  MLIRContext *context = module.getContext();
  auto names = attrs::weights.get(module);
  if (!names || !context->isMultithreadingEnabled())
    return;
  tasks.emplace(context->getThreadPool());
  tasks->async([this, names] {
    for (NamedAttribute named : names)
      if (auto weight = dyn_cast<WeightAttr>(named.getValue()); weight && !isOver)
        factsOf(weight);
  });
}

FactsAhead::~FactsAhead() { isOver = true; }

std::unique_ptr<DialectInterface> mlir::ane::createWeightFactsTable(Dialect *dialect) {
  return std::make_unique<WeightFactsTable>(dialect);
}
