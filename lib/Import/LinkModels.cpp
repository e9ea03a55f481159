//===- LinkModels.cpp - several models as functions of one module ---------===//

#include "ane/Import/LinkModels.h"
#include "EqualWeights.h"
#include "StateSharing.h"
#include "ane/Constraint/ConstantSources.h"
#include "ane/IR/DialectAttrs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ane;

std::string mlir::ane::checkFunctionNames(ArrayRef<std::string> names) {
  constexpr size_t longest = 100; // they begin names of files
  for (auto [i, name] : llvm::enumerate(names)) {
    bool isWord = llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty() || name.size() > longest || !isWord || llvm::isDigit(name.front()))
      return "'" + name + "' can't be the name of a function: at most " + std::to_string(longest) +
             " letters, digits and underscores, and no digit first";
    for (auto [j, other] : llvm::enumerate(names)) {
      StringRef rest = name;
      if (i == j || !rest.consume_front(other))
        continue;
      if (rest.empty())
        return "two functions are called '" + name + "'";
      bool isOfOther = rest.consume_front("_");
      rest.consume_front("host_");
      if (isOfOther && !rest.empty() && llvm::isDigit(rest.front()))
        return "function '" + name + "' is called as a program or CPU function of '" + other +
               "' may be: choose another";
    }
  }
  return "";
}

namespace {
class ModelLinker {
public:
  explicit ModelLinker(std::vector<NamedModel> models) : models(std::move(models)) {}

  FailureOr<OwningOpRef<ModuleOp>> run() {
    if (failed(shareStates(models)))
      return failure();
    OwningOpRef<ModuleOp> linked = ModuleOp::create(models.front().module->getLoc());
    for (NamedModel &model : models) {
      if (failed(nameFunction(model)) || failed(mergeAttributes(model, *linked)) || failed(mergeStates(model)))
        return failure();
      mergeWeights(model);
      for (Operation &op : llvm::make_early_inc_range(*model.module->getBody()))
        op.moveBefore(linked->getBody(), linked->getBody()->end());
    }
    // States first, as in modules of one function.
    for (auto state : llvm::make_early_inc_range(llvm::reverse(llvm::to_vector(linked->getOps<StateOp>()))))
      state->moveBefore(linked->getBody(), linked->getBody()->begin());
    markWeights(*linked);
    nameWeights(*linked);
    return linked;
  }

private:
  struct LinkedState {
    StateOp op;
    StringRef function;
  };

  LogicalResult nameFunction(NamedModel &model) {
    SmallVector<func::FuncOp> functions(model.module->getOps<func::FuncOp>());
    auto other = llvm::find_if(*model.module->getBody(), [](Operation &op) { return !isa<func::FuncOp, StateOp>(op); });
    if (functions.size() != 1 || functions.front().isPrivate() || other != model.module->getBody()->end())
      return model.module->emitError() << "function '" << model.function << "' is to be made of a module with "
                                       << functions.size()
                                       << " functions: it takes one public function and its states, of phase input or "
                                          "canonical; give a module that has more by itself, without a name";
    functions.front().setName(model.function);
    return success();
  }

  /// Target and the like, which the text of a module may say.
  LogicalResult mergeAttributes(NamedModel &model, ModuleOp linked) {
    for (NamedAttribute attr : model.module->getOperation()->getAttrs()) {
      if (attr.getName() == attrs::weights.name || attr.getName() == attrs::trainable.name)
        continue;
      Attribute known = linked->getAttr(attr.getName());
      if (&model != &models.front() && known != attr.getValue())
        return model.module->emitError()
               << "the module of function '" << model.function << "' has " << attr.getName() << " = " << attr.getValue()
               << ", that of '" << models.front().function
               << "' another: functions of a bundle are compiled alike; take it out of both and give flags";
      linked->setAttr(attr.getName(), attr.getValue());
    }
    return success();
  }

  /// Symbols that begin like a function are those of its programs and CPU functions.
  std::string symbolOf(StringRef name) const {
    bool isTaken = llvm::any_of(models, [&](const NamedModel &model) { return name.starts_with(model.function); });
    return ((isTaken ? "state." : "") + name).str();
  }

  LogicalResult mergeStates(NamedModel &model) {
    for (auto state : llvm::make_early_inc_range(model.module->getOps<StateOp>())) {
      auto publicName = attrs::ioName.get(state);
      std::string name = (publicName ? publicName.getValue() : state.getSymName()).str();
      auto symbol = StringAttr::get(state.getContext(), symbolOf(name));
      if (failed(SymbolTable::replaceAllSymbolUses(state, symbol, *model.module)))
        return state.emitOpError() << "can't be renamed";
      state.setSymNameAttr(symbol);
      if (symbol.getValue() != name)
        attrs::ioName.set(state, StringAttr::get(state.getContext(), name));
      auto [known, isNew] = states.try_emplace(name, LinkedState{state, model.function});
      if (isNew)
        continue;
      if (failed(checkAlike(name, known->second, {state, model.function})))
        return failure();
      state.erase();
    }
    return success();
  }

  static LogicalResult checkAlike(StringRef name, LinkedState first, LinkedState second) {
    bool sameType = first.op.getType() == second.op.getType();
    if (sameType && attrs::initial.get(first.op) == attrs::initial.get(second.op))
      return success();
    InFlightDiagnostic error = emitError(second.op.getLoc());
    error << "state '" << name << "', which functions '" << first.function << "' and '" << second.function
          << "' share, ";
    if (sameType)
      error << "has another initial value in each; give both one: --state-init " << name << "=VALUE";
    else
      error << "is " << first.op.getType() << " in the one and " << second.op.getType()
            << " in the other; bind dimensions so that they agree: --dim FUNCTION:NAME=SIZE";
    error.attachNote(first.op.getLoc()) << "the state of function '" << first.function << "'";
    return failure();
  }

  void mergeWeights(NamedModel &model) {
    llvm::StringSet<> trainable;
    if (auto list = attrs::trainable.get(*model.module))
      for (auto name : list.getAsRange<StringAttr>())
        trainable.insert(name.getValue());
    auto names = attrs::weights.get(*model.module);
    llvm::DenseMap<Attribute, StringRef> trainableNames;
    for (NamedAttribute named : names ? names.getValue() : ArrayRef<NamedAttribute>())
      if (trainable.contains(named.getName()))
        trainableNames[named.getValue()] = named.getName();
    // What will be trained is one with what is called so in other models, and with no other.
    auto firstAlike = [&](WeightAttr weight, auto emitError) {
      auto name = trainableNames.find(weight);
      return (name == trainableNames.end() ? weights : trained[name->second.str()]).firstAlike(weight, emitError);
    };
    llvm::DenseSet<Attribute> read;
    model.module->walk([&](ConstOp op) {
      auto weight = dyn_cast<WeightAttr>(op.getValue());
      if (!weight)
        return;
      op.setValueAttr(firstAlike(weight, [&] { return op.emitError(); }));
      read.insert(op.getValue());
      if (attrs::decides.isOn(op))
        decisive.insert(op.getValue());
    });
    for (NamedAttribute named : names ? names.getValue() : ArrayRef<NamedAttribute>()) {
      Attribute value = named.getValue();
      auto weight = dyn_cast<WeightAttr>(value);
      if (weight)
        value = weight = firstAlike(weight, [&] { return model.module->emitError(); });
      weightNames[named.getName().str()].push_back({model.function, value, trainable.contains(named.getName())});
      // What the model has and nothing reads any more was evaluated.
      if (weight && !read.contains(weight))
        decisive.insert(weight);
    }
  }

  /// A weight that has decided something in one function has done so for all.
  void markWeights(ModuleOp linked) const {
    linked.walk([&](ConstOp op) {
      if (decisive.contains(op.getValue()))
        attrs::decides.set(op, UnitAttr::get(op.getContext()));
    });
  }

  /// A name that means other bytes in another function has its function's before it, as the flags of ane-compile have.
  void nameWeights(ModuleOp linked) const {
    Builder builder(linked.getContext());
    SmallVector<NamedAttribute> table;
    SmallVector<Attribute> trainable;
    auto add = [&](const Twine &name, Attribute weight, bool isTrained) {
      table.push_back(builder.getNamedAttr(name.str(), weight));
      if (isTrained)
        trainable.push_back(table.back().getName());
    };
    for (const auto &[name, uses] : weightNames) {
      Attribute first = uses.front().weight;
      if (llvm::all_of(uses, [&](const WeightUse &use) { return use.weight == first; }))
        add(name, first, llvm::any_of(uses, [](const WeightUse &use) { return use.isTrained; }));
      else
        for (const auto &[function, weight, isTrained] : uses)
          add(function + ":" + name, weight, isTrained);
    }
    if (!table.empty())
      attrs::weights.set(linked, builder.getDictionaryAttr(table));
    if (!trainable.empty())
      attrs::trainable.set(linked, builder.getArrayAttr(trainable));
  }

  std::vector<NamedModel> models;
  struct WeightUse {
    std::string function;
    Attribute weight;
    bool isTrained;
  };
  std::map<std::string, std::vector<WeightUse>> weightNames;
  llvm::DenseSet<Attribute> decisive;  // weights
  llvm::StringMap<LinkedState> states; // by public name
  EqualWeights weights;
  std::map<std::string, EqualWeights> trained; // of each name
};
} // namespace

FailureOr<OwningOpRef<ModuleOp>> mlir::ane::linkModels(std::vector<NamedModel> models) {
  return ModelLinker(std::move(models)).run();
}
