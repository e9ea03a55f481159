//===- AddAdapters.cpp - low-rank adapters beside linear layers -----------===//

#include "Names.h"
#include "ane/Autodiff/Passes.h"
#include "ane/IR/Adapters.h"
#include "ane/IR/Builders.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/HuggingFace.h"
#include "runtime/support/philox.h"
#include <cmath>
#include <set>

namespace mlir::ane {
#define GEN_PASS_DEF_ADDADAPTERS
#include "ane/Autodiff/AutodiffPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
/// The part of a named weight that a linear layer multiplies with.
struct Part {
  StringRef weight; // its name
  StringRef layer;  // the weight's name in Hugging Face's model, less ".weight"
  int64_t inputs, outputs;
  int64_t first = 0, all;    // which outputs of all that the weight has
  bool isTransposed = false; // the file has [inputs, outputs]
};

/// The two matrices of a layer.
struct Adapter {
  std::string a, b; // names
  RankedTensorType aType, bType;
};

struct AddAdapters : mlir::ane::impl::AddAdaptersBase<AddAdapters> {
  using AddAdaptersBase::AddAdaptersBase;

  /// What Hugging Face's model has in place of a weight; null if the names are the same.
  DictionaryAttr formOf(StringRef weight) { return form ? form.getAs<DictionaryAttr>(weight) : DictionaryAttr(); }

  StringRef layerOf(StringRef weight) {
    DictionaryAttr there = formOf(weight);
    StringRef layer = there ? there.getAs<StringAttr>("name").getValue() : weight;
    layer.consume_back(".weight");
    return layer;
  }

  /// Follows the weight of a layer to a constant with a name.
  std::optional<Part> partOf(LinearOp op) {
    ArrayRef<int64_t> shape = op.getWeight().getType().getShape();
    Part part{"", "", shape[1], shape[0], 0, 0};
    int64_t axis = 0; // of the outputs
    Value value = op.getWeight();
    while (Operation *source = value.getDefiningOp()) {
      if (auto constant = dyn_cast<ConstOp>(source)) {
        auto known = nameOf.find(constant.getValue());
        if (known == nameOf.end() || axis > 1)
          return std::nullopt;
        part.weight = known->second;
        part.layer = layerOf(part.weight);
        part.isTransposed = axis == 1;
        if (part.all == 0)
          part.all = part.outputs;
        return part;
      }
      if (auto transpose = dyn_cast<TransposeOp>(source)) {
        axis = transpose.getPerm()[axis];
      } else if (auto slice = dyn_cast<SliceBySizeOp>(source)) {
        auto ranges = slice.getRanges();
        auto from = cast<RankedTensorType>(slice.getX().getType()).getShape();
        if (from.size() != 2 || ranges[1 - axis].size != from[1 - axis])
          return std::nullopt;
        part.first += ranges[axis].begin;
        part.all = from[axis];
      } else if (!isa<CastOp, ConstexprBlocksOp>(source)) {
        return std::nullopt;
      }
      value = source->getOperand(0);
    }
    return std::nullopt;
  }

  bool isTarget(StringRef layer) {
    bool found = false;
    for (auto &&[target, isUsed] : llvm::zip_equal(targets, used)) {
      StringRef rest = layer;
      if (rest.consume_back(target) && (rest.empty() || rest.ends_with(".")))
        found = isUsed = 1;
    }
    return found;
  }

  Adapter adapterOf(const Part &part) {
    std::string prefix = ("base_model.model." + part.layer).str();
    Type f32 = Float32Type::get(&getContext());
    return {prefix + ".lora_A.weight", prefix + ".lora_B.weight",
            RankedTensorType::get({int64_t(rank), part.inputs}, f32),
            RankedTensorType::get({part.all, int64_t(rank)}, f32)};
  }

  /// What a matrix begins with. Numbers of a seed are drawn in the order of the matrices' names in the module.
  DenseElementsAttr initial(RankedTensorType type, bool isA) {
    if (!isA)
      return DenseElementsAttr::get(type, 0.0f);
    double bound = 1 / std::sqrt(double(type.getDimSize(1)));
    std::vector<float> values(type.getNumElements());
    for (float &value : values) {
      constexpr uint64_t steps = 1 << 24;
      double share = double(::ane::rt::randomBelow(seed, drawn++, steps)) / steps;
      value = float((2 * share - 1) * bound);
    }
    return DenseElementsAttr::get(type, ArrayRef(values));
  }

  /// The matrix in a function.
  Value matrix(func::FuncOp function, const std::string &name, RankedTensorType type, bool isA) {
    ModuleOp module = getOperation();
    bool isNew = declared.insert(name).second;
    if (as == "states") {
      if (isNew) {
        OpBuilder builder(module.getBody(), module.getBody()->begin());
        builder.create<StateOp>(NameLoc::get(builder.getStringAttr(name), module.getLoc()), name, type);
      }
      auto builder = OpBuilder::atBlockBegin(&function.front());
      return builder.create<ReadStateOp>(function.getLoc(), type, name);
    }
    if (isNew) {
      OpBuilder builder(function);
      auto parameter = builder.create<ParameterOp>(function.getLoc(), name, type);
      builder.setInsertionPointToStart(&parameter.getBody().emplaceBlock());
      Value value = builder.create<ConstOp>(function.getLoc(), initial(type, isA));
      builder.create<YieldOp>(function.getLoc(), value);
    }
    return addInputs(function, {{name, type}}).front();
  }

  void note(const Part &part, const Adapter &adapter) {
    Builder b(&getContext());
    DictionaryAttr there = formOf(part.weight);
    auto heads = there ? there.getAs<IntegerAttr>("heads") : IntegerAttr();
    auto text = [&](StringRef name, StringRef value) { return b.getNamedAttr(name, b.getStringAttr(value)); };
    pairs[part.layer.str()] =
        b.getDictionaryAttr({text("layer", part.layer), text("weight", part.weight), text("a", adapter.a),
                             text("b", adapter.b), b.getNamedAttr("transposed", b.getBoolAttr(part.isTransposed)),
                             b.getNamedAttr("heads", heads ? heads : b.getI64IntegerAttr(0))});
  }

  void describe() {
    Builder b(&getContext());
    SmallVector<Attribute> list;
    for (auto &[layer, pair] : pairs)
      list.push_back(pair);
    auto names = llvm::to_vector_of<StringRef>(targets);
    getOperation()->setAttr(adaptersName, b.getDictionaryAttr({b.getNamedAttr("rank", b.getI64IntegerAttr(rank)),
                                                               b.getNamedAttr("alpha", b.getF64FloatAttr(alpha)),
                                                               b.getNamedAttr("targets", b.getStrArrayAttr(names)),
                                                               b.getNamedAttr("pairs", b.getArrayAttr(list))}));
  }

  void adapt(func::FuncOp function) {
    std::map<std::string, std::pair<Value, Value>> matrices;
    for (auto op : llvm::make_early_inc_range(function.getOps<LinearOp>())) {
      std::optional<Part> part = partOf(op);
      if (!part || !isTarget(part->layer))
        continue;
      Adapter adapter = adapterOf(*part);
      auto [known, isNew] = matrices.try_emplace(adapter.a);
      if (isNew)
        known->second = {matrix(function, adapter.a, adapter.aType, true),
                         matrix(function, adapter.b, adapter.bType, false)};
      note(*part, adapter);
      auto [a, b] = known->second;
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfter(op);
      Composer c(builder, op.getLoc());
      if (part->outputs != part->all)
        b = c.make<SliceBySizeOp>(b, ArrayRef<int64_t>{part->first, 0},
                                  ArrayRef<int64_t>{part->outputs, int64_t(rank)});
      Value low = c.mul(c.make<LinearOp>(c.castLike(op.getX(), a), a, Value()), alpha / double(rank));
      Value sum = c.add(op, c.castLike(c.make<LinearOp>(low, b, Value()), op));
      op.getResult().replaceAllUsesExcept(sum, sum.getDefiningOp());
    }
  }

  LogicalResult check() {
    auto error = [&] { return getOperation().emitError(); };
    if (rank < 1 || rank > 1024)
      return error() << "rank=" << int64_t(rank) << ": an adapter's rank is 1 to 1024";
    if (!std::isfinite(alpha) || alpha == 0)
      return error() << "alpha=" << double(alpha) << ": a finite number that is not 0";
    if (targets.empty())
      return error() << "targets: no layers are named, for instance targets=q_proj,v_proj";
    if (as != "parameters" && as != "states")
      return error() << "as=" << as << ": parameters or states";
    return success();
  }

  LogicalResult run() {
    if (failed(check()))
      return failure();
    used.assign(targets.size(), 0);
    if (auto names = attrs::weights.get(getOperation()))
      for (NamedAttribute named : names)
        nameOf.try_emplace(named.getValue(), named.getName());
    if (auto there = getOperation()->getAttrOfType<DictionaryAttr>(huggingFaceName))
      form = there.getAs<DictionaryAttr>("tensors");
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal() && function.getBody().hasOneBlock())
        adapt(function);
    for (auto [target, isUsed] : llvm::zip_equal(targets, used))
      if (!isUsed) {
        InFlightDiagnostic error = getOperation().emitError()
                                   << "targets=" << target << ": no linear layer's weight is called so";
        std::string known;
        for (auto [weight, name] : nameOf)
          if (name.getValue().ends_with(".weight"))
            known = std::max(known, layerOf(name).str()); // the last layer's, as names are not in order here
        return known.empty() ? error : error << "; one of the weights is that of " << known;
      }
    describe();
    return success();
  }

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  llvm::DenseMap<Attribute, StringAttr> nameOf;
  SmallVector<char> used; // of each target, whether a layer has its name
  std::set<std::string> declared;
  DictionaryAttr form;                    // of names; null: they are Hugging Face's
  std::map<std::string, Attribute> pairs; // by layers
  uint64_t drawn = 0;
};
} // namespace
