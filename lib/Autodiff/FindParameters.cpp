//===- FindParameters.cpp - what of a model is trained --------------------===//
//
// A file of ONNX says of a tensor what it holds, not what it is for: a weight, a literal, an exponent, a table. What a
// layer reads where its weights stand is a parameter; what else is one, the file or the user says.
//
//===----------------------------------------------------------------------===//

#include "FindParameters.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Inference.h"
#include "ane/IR/LanguageModel.h"
#include "ane/IR/Training.h"
#include "ane/Support/WeightTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
enum class Role { None, Statistic, Layer };

/// The elements of a constant as floats, or nothing where it has more than `most` or they are no floats.
std::optional<std::vector<double>> elementsOf(Value value, int64_t most) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!isa<FloatType>(type.getElementType()) || type.getNumElements() > most)
    return std::nullopt;
  FailureOr<ConstantBuffer> buffer = evaluateConstant(value);
  if (failed(buffer))
    return std::nullopt;
  auto dense = DenseElementsAttr::getFromRawBuffer(type, buffer->bytes());
  std::vector<double> elements;
  for (const APFloat &element : dense.getValues<APFloat>()) {
    APFloat wide = element;
    bool isInexact;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isInexact);
    elements.push_back(wide.convertToDouble());
  }
  return elements;
}

constexpr int64_t mostRead = 1 << 22; // elements of a table that is looked at

/// Whether each column of a table holds the sine or cosine of its angle, times the row's number.
bool holdsAngles(Value table) {
  auto type = cast<RankedTensorType>(table.getType());
  if (type.getRank() < 2)
    return false;
  int64_t columns = type.getShape().back(), rows = type.getNumElements() / std::max<int64_t>(columns, 1);
  if (columns == 0 || rows < 3)
    return false;
  auto elements = elementsOf(table, mostRead);
  if (!elements)
    return false;
  for (int64_t column = 0; column < columns; ++column) {
    double first = (*elements)[column], second = (*elements)[columns + column],
           third = (*elements)[2 * columns + column];
    constexpr double close = 1e-3;
    bool isSine = first == 0 && std::abs(third * third - 4 * second * second * (1 - second * second)) < close;
    bool isCosine = first == 1 && std::abs(third - (2 * second * second - 1)) < close;
    if (!isSine && !isCosine)
      return false;
  }
  return true;
}

/// Whether a constant holds only 0 and 1, as what hides parts of a weight does.
bool isMask(Value value) {
  auto elements = elementsOf(value, mostRead);
  return elements && llvm::all_of(*elements, [](double element) { return element == 0 || element == 1; });
}

/// What `value` has its elements of.
Value behindViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<StridedViewOpInterface, CastOp, IdentityOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool isFromIntegers(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto cast = dyn_cast<CastOp>(op); cast && isa<IntegerType>(getElementTypeOrSelf(cast.getX())))
      return true;
    if (!isa<StridedViewOpInterface, CastOp, IdentityOp, TileOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

bool isNorm(Operation *op) {
  return op && isa<LayerNormOp, RmsNormOp, BatchNormOp, GroupNormOp, InstanceNormOp, L2NormOp>(op);
}
bool isProduct(Operation *op) { return op && isa<LinearOp, MatmulOp, EinsumOp, ConvOp, ConvTransposeOp>(op); }

class Finder {
public:
  Finder(ModuleOp module, func::FuncOp function, NamePatterns &added, NamePatterns &frozen)
      : module(module), function(function), added(added), frozen(frozen), declared(attrs::parameters.get(module)),
        isLanguageModel(module->hasAttr(languageModelName)) {}

  ParameterChoice run() {
    // What can't be read of a file is an error of who writes the bundle; here it is like nothing else.
    ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
    collect();
    separateStatistics();
    for (auto &[name, constants] : weights) {
      choice.known.push_back(name);
      bool isAdded = added.match(name), isFrozen = frozen.match(name);
      if (isFrozen && !(isAdded && added.hasExactly(name)))
        continue;
      if (isAdded || isDefault(name, constants))
        choice.trained[name] = constants;
    }
    findLost();
    joinTransposed();
    joinExpanded();
    return std::move(choice);
  }

private:
  /// All named weights; one that an identity names is a constant of its own.
  void collect() {
    weights = namedWeights(module, function, /*inBlocks=*/true);
    for (auto op : llvm::make_early_inc_range(function.getOps<IdentityOp>()))
      if (StringAttr name = attrs::parameterName.get(op)) {
        OpBuilder builder(op);
        Operation *source = op.getX().getDefiningOp();
        auto constant = dyn_cast_or_null<ConstOp>(source);
        auto known = weights.find(name.str());
        if (constant && (known == weights.end() || known->second.front().getType() == constant.getType())) {
          Value own = builder.clone(*constant)->getResult(0);
          op.getResult().replaceAllUsesWith(own);
          weights[name.str()].push_back(own);
        } else {
          op.getResult().replaceAllUsesWith(op.getX());
        }
        op.erase();
      }
    // One weight by two names is the first one's.
    DenseSet<Value> taken;
    for (auto it = weights.begin(); it != weights.end();)
      it = llvm::all_of(it->second, [&](Value value) { return taken.insert(value).second; }) ? std::next(it)
                                                                                             : weights.erase(it);
  }

  //===-- roles ---------------------------------------------------------------===//

  /// What the op makes of the operand, or of what it computes of it and other constants.
  Role roleOf(OpOperand &use) {
    Operation *op = use.getOwner();
    Value value = use.get();
    if (op->hasTrait<OpTrait::IsTerminator>())
      return Role::None;
    if (isConstantExpr(op)) {
      if (auto gather = dyn_cast<GatherOp>(op); gather && value == gather.getX() && isTable(value))
        return Role::Layer;
      Role role = Role::None;
      for (Value result : op->getResults())
        for (OpOperand &next : result.getUses())
          role = std::max(role, roleOf(next));
      bool isMoved = isa<StridedViewOpInterface, CastOp, IdentityOp, TileOp, ConcatOp, SplitOp, ConstexprBlocksOp>(op);
      return role == Role::Layer && !isMoved && isMask(value) ? Role::None : role;
    }
    if (auto norm = dyn_cast<BatchNormOp>(op); norm && (value == norm.getMean() || value == norm.getVariance()))
      return use.getOperandNumber() == 1 || use.getOperandNumber() == 2 ? Role::Statistic : Role::Layer;
    bool isFirst = use.getOperandNumber() == 0;
    if (isNorm(op) || isa<PreluOp, SoftplusParametricOp>(op))
      return isFirst ? Role::None : Role::Layer;
    if (isa<RnnOp, GruOp>(op))
      return use.getOperandNumber() >= 2 ? Role::Layer : Role::None;
    if (isa<LstmOp>(op))
      return use.getOperandNumber() >= 3 ? Role::Layer : Role::None;
    if (auto linear = dyn_cast<LinearOp>(op); linear && value == linear.getBias() && isMaskOfScores(value))
      return Role::None;
    if (isa<LinearOp, MatmulOp, EinsumOp, ConvOp, ConvTransposeOp>(op))
      return isOfProduct(op, value) ? Role::Layer : Role::None;
    if (auto gather = dyn_cast<GatherOp>(op))
      return value == gather.getX() && isTable(value) ? Role::Layer : Role::None;
    if (auto embedding = dyn_cast<EmbeddingOp>(op))
      return value == embedding.getTable() && isTable(value) ? Role::Layer : Role::None;
    if (isa<AddOp, SubOp, MulOp>(op))
      return isBesideLayer(op, value) ? Role::Layer : Role::None;
    if (auto concat = dyn_cast<ConcatOp>(op))
      return isToken(concat, value) ? Role::Layer : Role::None;
    return Role::None;
  }

  /// An outer product with numbers, such as of positions, makes angles: its frequencies are a table.
  static bool isOfProduct(Operation *op, Value value) {
    return llvm::none_of(op->getOperands(), [&](Value other) {
      return other != value && isFromIntegers(other) &&
             cast<RankedTensorType>(value.getType()).getNumElements() ==
                 longest(cast<RankedTensorType>(value.getType()));
    });
  }
  static int64_t longest(RankedTensorType type) {
    return type.getRank() == 0 ? 1 : *llvm::max_element(type.getShape());
  }

  static bool isTable(Value value) {
    return cast<RankedTensorType>(value.getType()).getRank() >= 2 && !holdsAngles(value);
  }

  /// Whether all elements are 0 or hide a score, and not all of them 0.
  static bool isMaskOfScores(Value value) {
    constexpr double hidden = -1e4;
    auto elements = elementsOf(value, mostRead);
    return elements && llvm::all_of(*elements, [](double element) { return element == 0 || element <= hidden; }) &&
           llvm::any_of(*elements, [](double element) { return element != 0; });
  }

  /// Whether an addend looks like a number in the model's text, or like a mask of scores: not like a bias. Zeros are
  /// what a bias begins with.
  static bool isLiteral(Value value, Value result) {
    auto elements = elementsOf(value, mostRead);
    if (!elements || elements->empty())
      return false;
    auto type = cast<RankedTensorType>(result.getType());
    if (elements->size() == 1) // as of a layer with one result
      return type.getRank() == 0 || (type.getShape().back() != 1 && (type.getRank() < 2 || type.getDimSize(1) != 1));
    double first = elements->front();
    bool isEqual = llvm::all_of(*elements, [&](double element) { return element == first; });
    return (isEqual && first != 0) || isMaskOfScores(value);
  }

  /// A vector that is added to what a layer gives, or by which that is multiplied.
  static bool isBesideLayer(Operation *op, Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getNumElements() != longest(type) || type.getRank() == 0 ||
        (!isa<MulOp>(op) && isLiteral(value, op->getResult(0))))
      return false;
    auto isOfLayer = [](Value x) {
      Operation *source = behindViews(x).getDefiningOp();
      return isProduct(source) || isNorm(source);
    };
    Value other = op->getOperand(op->getOperand(0) == value ? 1 : 0);
    auto scaled = isa<MulOp>(op) ? MulOp() : behindViews(other).getDefiningOp<MulOp>();
    return isOfLayer(other) || (scaled && llvm::any_of(scaled->getOperands(), isOfLayer));
  }

  /// Rows that stand before those of each example: [batch or 1, rows, width].
  static bool isToken(ConcatOp concat, Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() != 3 || concat.getAxisFromFront() != 1)
      return false;
    auto elements = elementsOf(value, mostRead); // a pad is of equal ones
    if (elements && llvm::all_of(*elements, [&](double element) { return element == elements->front(); }))
      return false;
    return llvm::any_of(concat->getOperands(), [](Value other) { return !isConstantExpr(other); });
  }

  bool isDefault(const std::string &name, ArrayRef<Value> constants) {
    if (declared)
      if (auto word = declared.getAs<BoolAttr>(name))
        return word.getValue();
    if (isLanguageModel)
      return true;
    return llvm::any_of(constants, [&](Value constant) {
      return llvm::any_of(constant.getUses(), [&](OpOperand &use) { return roleOf(use) == Role::Layer; });
    });
  }

  /// Means and variances are no parameters, whatever else reads the constant.
  void separateStatistics() {
    for (auto &[name, constants] : weights)
      for (Value constant : constants)
        for (OpOperand &use : llvm::make_early_inc_range(constant.getUses()))
          if (roleOf(use) == Role::Statistic) {
            OpBuilder builder(use.getOwner());
            use.set(builder.clone(*constant.getDefiningOp())->getResult(0));
            noteStatistic(name, use);
          }
    for (auto it = weights.begin(); it != weights.end();) {
      bool isIdle = llvm::all_of(it->second, [](Value constant) { return constant.use_empty(); });
      it = isIdle && choice.statistics.count(it->first) ? weights.erase(it) : std::next(it);
    }
  }

  void noteStatistic(const std::string &name, OpOperand &use) {
    if (attrs::batchStatistics.isOn(use.getOwner()))
      choice.statistics[name].push_back(use.get());
  }

  /// Parameters that the file lists and has only in other constants: what of these is not trained, the user should
  /// know.
  void findLost() {
    for (NamedAttribute entry : declared ? declared.getValue() : ArrayRef<NamedAttribute>()) {
      auto folded = dyn_cast<ArrayAttr>(entry.getValue());
      if (!folded)
        continue;
      choice.known.push_back(entry.getName().str());
      auto isIdle = [&](StringAttr name) { return !choice.trained.count(name.str()) && !frozen.match(name); };
      auto idle = llvm::to_vector(llvm::make_filter_range(folded.getAsRange<StringAttr>(), isIdle));
      if (frozen.match(entry.getName()) || (idle.empty() && !folded.empty()))
        continue;
      choice.lost.push_back(entry.getName().str());
      if (!idle.empty())
        choice.folded = idle;
    }
  }

  //===-- one for two ---------------------------------------------------------===//

  FailureOr<ArrayRef<char>> bytesOf(Value constant) {
    auto weight = dyn_cast_or_null<WeightAttr>(constant.getDefiningOp<ConstOp>().getValue());
    if (!weight)
      return failure();
    return cast<ANEDialect>(weight.getDialect()).getWeights().lookup(weight, [&] { return module.emitError(); });
  }

  static bool isTransposed(RankedTensorType type, ArrayRef<char> a, ArrayRef<char> b) {
    size_t width = type.getElementTypeBitWidth() / 8, rows = type.getDimSize(0), columns = type.getDimSize(1);
    auto isAlike = [&](size_t row, size_t column) {
      return std::memcmp(a.data() + (row * columns + column) * width, b.data() + (column * rows + row) * width,
                         width) == 0;
    };
    for (size_t i = 0; i < 64; ++i) // most pairs differ at once
      if (!isAlike(i * 7919 % rows, i * 104729 % columns))
        return false;
    for (size_t row = 0; row < rows; ++row)
      for (size_t column = 0; column < columns; ++column)
        if (!isAlike(row, column))
          return false;
    return true;
  }

  static bool isSplat(ArrayRef<char> bytes, size_t width) {
    for (size_t i = width; i + width <= bytes.size(); i += width)
      if (std::memcmp(bytes.data(), bytes.data() + i, width) != 0)
        return false;
    return true;
  }

  bool isEmbedding(ArrayRef<Value> constants) {
    return llvm::any_of(constants, [](Value constant) {
      return llvm::any_of(constant.getUsers(), [](Operation *op) { return isa<GatherOp, EmbeddingOp>(op); });
    });
  }

  bool isListed(StringRef name) {
    auto word = declared ? declared.getAs<BoolAttr>(name) : BoolAttr();
    return word && word.getValue();
  }

  /// Exporters write the transpose of a weight as another one. Two that the file calls parameters are two.
  void joinTransposed() {
    if (isLanguageModel)
      return;
    std::map<std::pair<std::pair<int64_t, int64_t>, const void *>, SmallVector<std::string>> byShape;
    for (auto &[name, constants] : choice.trained) {
      auto type = cast<RankedTensorType>(constants.front().getType());
      if (type.getRank() == 2 && isa<FloatType>(type.getElementType()) && type.getDimSize(0) > 1 &&
          type.getDimSize(1) > 1)
        byShape[{{type.getDimSize(0), type.getDimSize(1)}, type.getElementType().getAsOpaquePointer()}].push_back(name);
    }
    std::map<std::string, std::string> joined; // the transposed one to the other
    for (auto &[key, names] : byShape) {
      auto [shape, element] = key;
      auto others = byShape.find({{shape.second, shape.first}, element});
      if (others == byShape.end())
        continue;
      for (const std::string &name : names)
        for (const std::string &other : others->second) {
          if (name == other || joined.count(name) || joined.count(other) || (isListed(name) && isListed(other)))
            continue;
          Value a = choice.trained[name].front(), b = choice.trained[other].front();
          auto type = cast<RankedTensorType>(a.getType());
          FailureOr<ArrayRef<char>> first = bytesOf(a), second = bytesOf(b);
          if (failed(first) || failed(second) || first->data() == second->data() ||
              !isTransposed(type, *first, *second) || isSplat(*first, type.getElementTypeBitWidth() / 8))
            continue;
          bool keepsOther = isEmbedding(choice.trained[other]) && !isEmbedding(choice.trained[name]);
          keepsOther ? joined[name] = other : joined[other] = name;
        }
    }
    for (auto &[name, kept] : joined) {
      Value source = choice.trained[kept].front();
      OpBuilder builder(function.getContext());
      builder.setInsertionPointToStart(&function.front());
      source.getDefiningOp()->moveBefore(&function.front(), function.front().begin());
      builder.setInsertionPointAfterValue(source);
      Value turned = builder.create<TransposeOp>(source.getLoc(), source, ArrayRef<int64_t>{1, 0});
      for (Value constant : choice.trained[name])
        constant.replaceAllUsesWith(turned);
      choice.trained.erase(name);
    }
  }

  /// Exporters write a row of all examples once for each.
  void joinExpanded() {
    for (auto &[name, constants] : choice.trained)
      for (Value &constant : constants) {
        auto type = cast<RankedTensorType>(constant.getType());
        bool isRows = type.getRank() == 3 && type.getDimSize(0) > 1 &&
                      llvm::all_of(constant.getUsers(), [](Operation *op) { return isa<ConcatOp>(op); });
        auto weight = dyn_cast<WeightAttr>(constant.getDefiningOp<ConstOp>().getValue());
        FailureOr<ArrayRef<char>> bytes = isRows && weight ? bytesOf(constant) : FailureOr<ArrayRef<char>>(failure());
        if (failed(bytes))
          continue;
        size_t each = bytes->size() / type.getDimSize(0);
        bool isAlike = true;
        for (int64_t i = 1; i < type.getDimSize(0); ++i)
          isAlike &= std::memcmp(bytes->data(), bytes->data() + i * each, each) == 0;
        if (!isAlike)
          continue;
        SmallVector<int64_t> shape(type.getShape()), times(type.getRank(), 1);
        times[0] = std::exchange(shape[0], 1);
        auto one = WeightAttr::get(module.getContext(), type.clone(shape), weight.getFile(), weight.getOffset(), each,
                                   StringAttr());
        OpBuilder builder(constant.getDefiningOp());
        Value row = builder.create<ConstOp>(constant.getLoc(), one);
        constant.replaceAllUsesWith(builder.create<TileOp>(constant.getLoc(), row, times).getResult());
        constant = row;
        rename(name, one);
      }
  }

  void rename(StringRef name, Attribute weight) {
    NamedAttrList names(attrs::weights.get(module));
    names.set(name, weight);
    attrs::weights.set(module, names.getDictionary(module.getContext()));
  }

  ModuleOp module;
  func::FuncOp function;
  NamePatterns &added, &frozen;
  DictionaryAttr declared; // null: the file does not say
  bool isLanguageModel;
  std::map<std::string, SmallVector<Value>> weights;
  ParameterChoice choice;
};
} // namespace

ParameterChoice mlir::ane::findParameters(ModuleOp module, func::FuncOp function, NamePatterns &added,
                                          NamePatterns &frozen) {
  return Finder(module, function, added, frozen).run();
}
