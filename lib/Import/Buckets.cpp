//===- Buckets.cpp - a model for several sizes of a dimension -------------===//

#include "ane/Import/Buckets.h"
#include "BucketPlaces.h"
#include "ane/IR/ANE.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/FunctionAttrs.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::ane;

std::string Buckets::take(StringRef text) {
  auto [name, list] = text.rsplit('=');
  SmallVector<StringRef> parts;
  list.split(parts, ',');
  if (!dimension.empty())
    return ("'" + text + "': a model has buckets of one dimension, which is '" + dimension + "' already").str();
  constexpr int64_t largest = int64_t(1) << 31;
  for (StringRef part : parts)
    if (part.getAsInteger(10, sizes.emplace_back()) || sizes.back() < 1 || sizes.back() > largest)
      name = "";
  if (name.empty() || sizes.size() < 2)
    return ("'" + text + "' is not DIMENSION=SIZE,SIZE,... with sizes of at least 1 (--dim binds one size)").str();
  llvm::sort(sizes);
  if (auto twice = std::adjacent_find(sizes.begin(), sizes.end()); twice != sizes.end())
    return ("'" + text + "' has the size " + Twine(*twice) + " twice").str();
  dimension = name.str();
  return "";
}

std::string Buckets::functionName(StringRef name, int64_t size) { return (name + "_bucket_" + Twine(size)).str(); }

namespace {
class BucketMarker {
public:
  BucketMarker(ArrayRef<func::FuncOp> functions, StringRef name, const Buckets &buckets)
      : functions(functions), name(name), buckets(buckets), builder(functions.front()->getContext()) {}

  LogicalResult run(bool padsAlways) {
    func::FuncOp first = functions.front();
    for (unsigned i = 0; i < first.getNumArguments(); ++i)
      if (failed(findAxes(
              "input", attrs::ioName.ofArgument(first, i),
              [&](func::FuncOp function) { return function.getArgumentTypes()[i]; }, inputs)))
        return failure();
    for (unsigned i = 0; i < first.getNumResults(); ++i)
      if (failed(findAxes(
              "output", attrs::ioName.ofResult(first, i),
              [&](func::FuncOp function) { return function.getResultTypes()[i]; }, outputs)))
        return failure();
    SmallVector<int64_t> masks = findMasks();
    bool isChecked = !padsAlways && hidesPlaces(masks) && !countsPlaces(masks);
    if (!isChecked)
      masks.clear();
    for (auto [function, size] : llvm::zip_equal(functions, buckets.sizes)) {
      setArgAttrs(function, attrs::bucketAxes, inputs);
      setResultAttrs(function, attrs::bucketAxes, outputs);
      SmallVector<NamedAttribute> bucket{builder.getNamedAttr("dimension", builder.getStringAttr(buckets.dimension)),
                                         builder.getNamedAttr("masks", builder.getDenseI64ArrayAttr(masks)),
                                         builder.getNamedAttr("name", builder.getStringAttr(name)),
                                         builder.getNamedAttr("pads", builder.getBoolAttr(padsAlways || isChecked)),
                                         builder.getNamedAttr("size", builder.getI64IntegerAttr(size))};
      if (padsAlways)
        bucket.push_back(builder.getNamedAttr("zeros", builder.getUnitAttr()));
      attrs::bucket.set(function, builder.getDictionaryAttr(bucket));
    }
    return success();
  }

private:
  /// The axes of an input or output that are the dimension.
  LogicalResult findAxes(StringRef kind, StringAttr port, function_ref<Type(func::FuncOp)> typeOf,
                         SmallVectorImpl<Attribute> &axesOf) {
    SmallVector<int64_t> axes;
    auto first = cast<RankedTensorType>(typeOf(functions.front()));
    for (int64_t axis = 0; axis < first.getRank(); ++axis) {
      bool isFixed = true, isDimension = true;
      std::string found;
      for (auto [function, size] : llvm::zip_equal(functions, buckets.sizes)) {
        auto type = cast<RankedTensorType>(typeOf(function));
        int64_t dim = type.getRank() == first.getRank() ? type.getDimSize(axis) : -1;
        isFixed &= dim == first.getDimSize(axis);
        isDimension &= dim == size;
        found += (found.empty() ? "" : ", ") + std::to_string(dim);
      }
      if (isDimension)
        axes.push_back(axis);
      else if (!isFixed)
        return functions.front()->emitError()
               << "--bucket " << buckets.dimension << ": axis " << axis << " of " << kind << " '"
               << (port ? port.getValue() : "") << "' is " << found
               << " for its sizes: an axis that is not the dimension itself can't be filled up and cut; compile a "
                  "function for each size by NAME=FILE and --dim NAME:DIMENSION=SIZE";
    }
    axesOf.push_back(builder.getDenseI64ArrayAttr(axes));
    return success();
  }

  /// The inputs that say which places count.
  SmallVector<int64_t> findMasks() {
    SmallVector<int64_t> masks;
    func::FuncOp first = functions.front();
    for (BlockArgument argument : first.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto port = attrs::ioName.ofArgument(first, i);
      if (port && port.getValue().ends_with("attention_mask") && !argument.use_empty() &&
          isa<IntegerType>(getElementTypeOrSelf(argument.getType())) && !cast<DenseI64ArrayAttr>(inputs[i]).empty())
        masks.push_back(i);
    }
    return masks;
  }

  /// Whether something may keep the results of a place from those behind it: a mask, or that a run's entries have
  /// positions in a state, which what is behind them has none of.
  bool hidesPlaces(ArrayRef<int64_t> masks) {
    return !masks.empty() || !functions.front()->getParentOfType<ModuleOp>().getOps<StateOp>().empty();
  }

  /// Whether values depend on how many places there are, or on what is behind the input's: then there is a warning.
  bool countsPlaces(ArrayRef<int64_t> masks) {
    func::FuncOp first = functions.front(), last = functions.back();
    auto counts = [&](Operation &op, StringRef how) {
      op.emitWarning() << "--bucket " << buckets.dimension << ": inputs are not filled up to a size, and only the "
                       << "sizes themselves run: this " << how;
      return true;
    };
    // A reshape that changes nothing for one size is not there. What is computed from constants is a constant: of the
    // model's table of positions the largest size may need all, without a slice.
    auto opsOf = [](func::FuncOp function) {
      return llvm::to_vector(llvm::make_filter_range(llvm::make_pointer_range(function.front()), [](Operation *op) {
        return !isa<ReshapeOp>(op) && !isConstantExpr(op);
      }));
    };
    SmallVector<Operation *> firstOps = opsOf(first), lastOps = opsOf(last);
    BucketPlaces places;
    for (auto [a, b] : llvm::zip_equal(first.getArguments(), last.getArguments()))
      places.addArgument(a, b, llvm::is_contained(masks, a.getArgNumber()));
    for (auto [a, b] : llvm::zip(firstOps, lastOps)) {
      Operation &one = *a, &other = *b;
      if (one.getName() != other.getName() || one.getNumOperands() != other.getNumOperands())
        return counts(one, "is another op for another size");
      for (auto [part, whole] : llvm::zip_equal(one.getOperands(), other.getOperands())) {
        if (isConstantExpr(part) != isConstantExpr(whole))
          return counts(one, "is another op for another size");
        if (isConstantExpr(part) && !isPart(part, whole))
          return counts(*part.getDefiningOp(), "value is not the beginning of what it is for a larger size");
      }
      if (one.getAttr("begin") != other.getAttr("begin"))
        return counts(one, "op begins elsewhere for another size");
      if (isa<ReduceMeanOp, LayerNormOp, InstanceNormOp, AvgPoolOp>(one) && normalises(one, other))
        return counts(one, "op averages over all places");
      if (StringRef how = places.visit(one, other); !how.empty())
        return counts(one, how);
    }
    return firstOps.size() != lastOps.size() && counts(*lastOps.back(), "model has other ops for other sizes");
  }

  /// Whether two constant expressions are the same one; `known` are those that have been found to be.
  static bool isSame(Value one, Value other, llvm::DenseSet<std::pair<Value, Value>> &known) {
    if (known.contains({one, other}))
      return true;
    Operation *a = one.getDefiningOp(), *b = other.getDefiningOp();
    bool isSameOp = a->getName() == b->getName() && a->getAttrDictionary() == b->getAttrDictionary() &&
                    a->getResultTypes() == b->getResultTypes() && a->getNumOperands() == b->getNumOperands() &&
                    cast<OpResult>(one).getResultNumber() == cast<OpResult>(other).getResultNumber();
    if (!isSameOp)
      return false;
    for (auto [operand, otherOperand] : llvm::zip_equal(a->getOperands(), b->getOperands()))
      if (!isSame(operand, otherOperand, known))
        return false;
    known.insert({one, other});
    return true;
  }

  static Value beforeReshapes(Value value) {
    while (auto reshape = value.getDefiningOp<ReshapeOp>())
      value = reshape.getOperand();
    return value;
  }

  static bool isPart(Value one, Value other) {
    llvm::DenseSet<std::pair<Value, Value>> same;
    return isSame(one, other, same) || isBeginning(beforeReshapes(one), beforeReshapes(other)) ||
           isBeginning(one, other);
  }

  /// Whether the value of a constant expression is the beginning, along all axes, of another's.
  static bool isBeginning(Value one, Value other) {
    auto type = cast<RankedTensorType>(one.getType()), larger = cast<RankedTensorType>(other.getType());
    if (type.getRank() != larger.getRank() || type.getElementType() != larger.getElementType())
      return false;
    for (auto [axis, size] : llvm::enumerate(type.getShape()))
      if (size > larger.getDimSize(axis))
        return false;
    FailureOr<ConstantBuffer> part = evaluateConstant(one), whole = evaluateConstant(other);
    if (failed(part) || failed(whole))
      return false;
    size_t width = elementBytes(type.getElementType());
    StridedView places{0, llvm::to_vector(type.getShape()), rowMajorStrides(larger.getShape())};
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      if (std::memcmp(part->bytes().data() + i * width, whole->bytes().data() + places.at(i) * width, width) != 0)
        return false;
    }
    return true;
  }

  /// Whether an op averages over an axis that depends on the size.
  static bool normalises(Operation &one, Operation &other) {
    auto type = cast<RankedTensorType>(one.getOperand(0).getType());
    auto otherType = cast<RankedTensorType>(other.getOperand(0).getType());
    auto axes = one.getAttrOfType<DenseI64ArrayAttr>("axes");
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      bool varies = otherType.getRank() != type.getRank() || type.getDimSize(axis) != otherType.getDimSize(axis);
      // Pools and norms of channels have no axes: they average over all places.
      if (varies && (!axes || llvm::is_contained(axes.asArrayRef(), axis) ||
                     llvm::is_contained(axes.asArrayRef(), axis - type.getRank())))
        return true;
    }
    return false;
  }

  ArrayRef<func::FuncOp> functions;
  StringRef name;
  const Buckets &buckets;
  Builder builder;
  SmallVector<Attribute> inputs, outputs;
};
} // namespace

LogicalResult mlir::ane::markBuckets(ArrayRef<func::FuncOp> functions, StringRef name, const Buckets &buckets,
                                     bool padsAlways) {
  return BucketMarker(functions, name, buckets).run(padsAlways);
}
