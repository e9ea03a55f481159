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
/// Facts of the constants that somebody asked about, by what they are (keyOf).
class WeightFactsTable : public DialectInterface::Base<WeightFactsTable> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WeightFactsTable)
  explicit WeightFactsTable(Dialect *dialect) : Base(dialect) {}

  std::optional<WeightFacts> of(Attribute key, function_ref<std::optional<WeightFacts>()> find) const {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (auto entry = known.find(key); entry != known.end())
        return entry->second;
    }
    // Nobody waits for another constant; at worst two read the same.
    std::optional<WeightFacts> facts = find();
    std::lock_guard<std::mutex> lock(mutex);
    return known.try_emplace(key, facts).first->second;
  }

private:
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

static bool hasFacts(Type element) { return element.isF16() || element.isBF16() || element.isF32() || element.isF64(); }

/// Facts of the elements of a tensor, row-major and little-endian.
static WeightFacts factsOfBytes(RankedTensorType type, ArrayRef<char> bytes) {
  Type element = type.getElementType();
  MLIRContext *context = type.getContext();
  int64_t count = type.getNumElements();
  if (element.isF64())
    return factsOfElements<double>(context, count, [&](int64_t i) { return loadAt<double>(bytes, i); });
  if (element.isF32())
    return factsOfElements<float>(context, count, [&](int64_t i) { return loadAt<float>(bytes, i); });
  if (element.isF16())
    return factsOfElements<float>(context, count,
                                  [&](int64_t i) { return ::ane::rt::halfToFloat(loadAt<uint16_t>(bytes, i)); });
  return factsOfElements<float>(
      context, count, [&](int64_t i) { return llvm::bit_cast<float>(uint32_t(loadAt<uint16_t>(bytes, i)) << 16); });
}

static std::optional<WeightFacts> readWeight(WeightAttr weight) {
  // Whoever needs the elements says that the file is not there, or too short.
  uint64_t fileBytes;
  if (llvm::sys::fs::file_size(weight.getFile(), fileBytes) || fileBytes < weight.getOffset() + weight.getBytes())
    return std::nullopt;
  WeightTable &files = weight.getContext()->getLoadedDialect<ANEDialect>()->getWeights();
  FailureOr<ArrayRef<char>> bytes =
      files.lookup(weight, [&] { return emitError(UnknownLoc::get(weight.getContext())); });
  if (failed(bytes))
    return std::nullopt;
  return factsOfBytes(cast<RankedTensorType>(weight.getType()), *bytes);
}

/// The facts that the context has under `key`, which `find` finds once.
static std::optional<WeightFacts> knownFacts(Attribute key, function_ref<std::optional<WeightFacts>()> find) {
  auto *dialect = key.getContext()->getLoadedDialect<ANEDialect>();
  return dialect->getRegisteredInterface<WeightFactsTable>()->of(key, find);
}

std::optional<WeightFacts> mlir::ane::factsOf(WeightAttr weight) {
  if (!hasFacts(cast<RankedTensorType>(weight.getType()).getElementType()))
    return std::nullopt;
  return knownFacts(weight, [&] { return readWeight(weight); });
}

std::optional<WeightFacts> mlir::ane::boundsOfMoved(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<ReshapeOp, TransposeOp, ExpandDimsOp, SqueezeOp, SliceByIndexOp, SliceBySizeOp, NarrowOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto constant = dyn_cast_or_null<ConstOp>(op);
  auto weight = constant ? dyn_cast<WeightAttr>(constant.getValue()) : nullptr;
  return weight ? factsOf(weight) : std::nullopt;
}

namespace {
/// Bounds of a constant's elements from those of the weights that it is made of, without reading their elements again;
/// nothing where its ops say too little.
class BoundsOfConstants {
public:
  std::optional<FloatRange> of(Value value) {
    if (auto entry = known.find(value); entry != known.end())
      return entry->second;
    std::optional<FloatRange> range = find(value);
    known[value] = range;
    return range;
  }

private:
  std::optional<FloatRange> find(Value value) {
    if (std::optional<double> splat = getSplat(value))
      return FloatRange::of(*splat);
    if (std::optional<WeightFacts> facts = boundsOfMoved(value))
      return facts->hasNaN ? std::nullopt : std::optional(facts->range);
    Operation *op = value.getDefiningOp();
    if (auto blob = dyn_cast_or_null<BlobOp>(op))
      return of(blob.getBody().front().getTerminator()->getOperand(0));
    auto ranged = dyn_cast_or_null<ValueRangeOpInterface>(op);
    if (!ranged || op->getNumResults() != 1)
      return std::nullopt;
    SmallVector<FloatRange> ranges;
    for (Value operand : op->getOperands()) {
      std::optional<FloatRange> range = of(operand);
      if (!range)
        return std::nullopt;
      ranges.push_back(*range);
    }
    std::optional<FloatRange> result;
    ranged.inferResultRanges(ranges, [&](Value, FloatRange range) { result = range; });
    return result;
  }

  llvm::SmallDenseMap<Value, std::optional<FloatRange>, 8> known;
};

/// What a constant expression is, as one attribute: two that compute the same have the same. An attribute is compared
/// by its address.
class KeysOfConstants {
public:
  Attribute of(Value value) {
    if (Attribute key = known.lookup(value))
      return key;
    Attribute key = make(cast<OpResult>(value));
    known[value] = key;
    return key;
  }

private:
  Attribute make(OpResult value) {
    Operation *op = value.getOwner();
    if (auto constant = dyn_cast<ConstOp>(op))
      return constant.getValue();
    if (auto blob = dyn_cast<BlobOp>(op))
      return of(blob.getBody().front().getTerminator()->getOperand(0));
    Builder builder(op->getContext());
    SmallVector<Attribute> parts{builder.getStringAttr(op->getName().getStringRef()), op->getAttrDictionary(),
                                 builder.getIndexAttr(value.getResultNumber()), TypeAttr::get(value.getType())};
    for (Value operand : op->getOperands())
      parts.push_back(of(operand));
    return builder.getArrayAttr(parts);
  }

  llvm::SmallDenseMap<Value, Attribute, 8> known;
};
} // namespace

std::optional<WeightFacts> mlir::ane::factsOfConstant(Value value) {
  // What is small is cheaper to look at; nothing that models have as a mask or a factor is larger.
  constexpr int64_t small = int64_t(1) << 14, largest = int64_t(1) << 26;
  auto type = cast<RankedTensorType>(value.getType());
  if (!hasFacts(type.getElementType()) || !isConstantExpr(value))
    return std::nullopt;
  if (std::optional<WeightFacts> facts = boundsOfMoved(value))
    return facts;
  if (std::optional<double> splat = getSplat(value))
    return WeightFacts{std::isnan(*splat) ? FloatRange::empty() : FloatRange::of(*splat), std::isnan(*splat)};
  if (type.getNumElements() > small) {
    BoundsOfConstants bounds;
    std::optional<FloatRange> range = bounds.of(value);
    if (range && range->isWithin(halfOverflow))
      return WeightFacts{*range, false};
    // Blocks of a GGUF file are as large as its maker found fit for fp16.
    if (!range && value.getDefiningOp<ConstexprBlocksOp>())
      return std::nullopt;
  }
  if (type.getNumElements() > largest)
    return std::nullopt;
  KeysOfConstants keys;
  return knownFacts(keys.of(value), [&]() -> std::optional<WeightFacts> {
    FailureOr<ConstantBuffer> buffer = evaluateConstant(value);
    if (failed(buffer))
      return std::nullopt;
    return factsOfBytes(type, buffer->bytes());
  });
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
