//===- DialectAttrs.cpp - verify the dialect's attributes -----------------===//

#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Adapters.h"
#include "ane/IR/HuggingFace.h"
#include "ane/IR/LanguageModel.h"
#include "ane/IR/Training.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;

//===-- types -------------------------------------------------------------===//

bool attrs::isRange(Attribute value) {
  auto range = dyn_cast<DictionaryAttr>(value);
  return range && range.size() == 3 && range.getAs<IntegerAttr>("min") && range.getAs<IntegerAttr>("max") &&
         range.getAs<StringAttr>("reader");
}

// Beside them may stand a unit `zeros`: inputs are filled up by the word of who compiled the model, unchecked.
bool attrs::isBucket(Attribute value) {
  auto bucket = dyn_cast<DictionaryAttr>(value);
  return bucket && bucket.getAs<StringAttr>("name") && bucket.getAs<StringAttr>("dimension") &&
         bucket.getAs<BoolAttr>("pads") && bucket.getAs<DenseI64ArrayAttr>("masks") &&
         bucket.getAs<IntegerAttr>("size");
}

bool attrs::isName(Attribute value) { return isa<StringAttr>(value) || isListOf<StringAttr>(value); }

static bool isOneOf(Attribute value, ArrayRef<StringRef> words) {
  auto word = dyn_cast<StringAttr>(value);
  return word && llvm::is_contained(words, word.getValue());
}

bool attrs::isPreference(Attribute value) { return isOneOf(value, {"speed"}); }

bool attrs::isRole(Attribute value) { return isOneOf(value, {"plan", "twin", "host"}); }

bool attrs::isMasked(Attribute value) { return isOneOf(value, {"scores", "values"}); }

bool attrs::isHolds(Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  auto isCondition = [](Attribute item) {
    auto condition = dyn_cast<DictionaryAttr>(item);
    if (!condition || condition.empty())
      return false;
    auto isBound = [&](StringRef name) {
      auto bound = condition.getAs<FloatAttr>(name);
      return !condition.contains(name) || (bound && bound.getType().isF64() && bound.getValue().isFinite());
    };
    bool isKnown = llvm::all_of(condition, [](NamedAttribute each) {
      return llvm::is_contained({"low", "high", "exact"}, each.getName().strref());
    });
    if (!isKnown || !isBound("low") || !isBound("high") ||
        (condition.contains("exact") && !condition.getAs<UnitAttr>("exact")))
      return false;
    auto low = condition.getAs<FloatAttr>("low"), high = condition.getAs<FloatAttr>("high");
    return !low || !high || low.getValueAsDouble() <= high.getValueAsDouble();
  };
  return list && !list.empty() && llvm::all_of(list, isCondition);
}

bool attrs::isMaskRows(Attribute value) {
  auto rows = dyn_cast<DictionaryAttr>(value);
  auto least = rows ? rows.getAs<FloatAttr>("least") : FloatAttr();
  auto isCount = [&](StringRef name) {
    auto count = rows.getAs<IntegerAttr>(name);
    return count && count.getType().isInteger(64) && count.getInt() > 0;
  };
  return least && rows.size() == 3 && isCount("extent") && isCount("inner") && least.getType().isF64() &&
         least.getValue().isFinite() && least.getValueAsDouble() < 0;
}

/// {subject, max, total?} of a result that only the runtime sees (ane/Constraint/RunTimeCheck.h).
static bool isCheck(Attribute value) {
  auto check = dyn_cast<DictionaryAttr>(value);
  auto isNumber = [&](StringRef name) {
    auto number = check.getAs<IntegerAttr>(name);
    return number && number.getType().isSignlessInteger(64);
  };
  return check && check.getAs<StringAttr>("subject") && isNumber("max") && (!check.get("total") || isNumber("total"));
}

static constexpr AttrDeclaration check{"ane.check", OnResult,
                                       "a dictionary of a string subject and integers max and total", isCheck,
                                       "what a value must be, or the run is an error"};

static bool isLanguageModel(Attribute value) {
  auto model = dyn_cast<DictionaryAttr>(value);
  auto prefill = model ? model.get("prefill") : Attribute();
  auto isNumber = [&](StringRef name, bool isOptional) {
    auto number = model.getAs<IntegerAttr>(name);
    return number ? number.getType().isSignlessInteger(64) : isOptional && !model.get(name);
  };
  return prefill && attrs::isListOf<StringAttr>(prefill) && model.getAs<StringAttr>("kind") &&
         model.getAs<StringAttr>("architecture") && model.getAs<StringAttr>("decode") &&
         model.getAs<DenseI64ArrayAttr>("stop_tokens") && isNumber("context", false) && isNumber("vocabulary", false) &&
         isNumber("bos", true) && isNumber("window", true) &&
         (!model.get("tokenizer") || model.getAs<StringAttr>("tokenizer"));
}

static constexpr AttrDeclaration languageModel{
    languageModelName, OnModule, "a dictionary of a language model (ane/IR/LanguageModel.h)", isLanguageModel,
    "which functions are a language model's, and what a conversation needs to know of it"};

static bool isTraining(Attribute value) {
  auto training = dyn_cast<DictionaryAttr>(value);
  auto has = [&](auto tag, StringRef name) { return bool(training.getAs<decltype(tag)>(name)); };
  auto isText = [&](StringRef name) { return has(StringAttr(), name); };
  auto isNumber = [&](StringRef name) { return has(IntegerAttr(), name); };
  return training &&
         llvm::all_of(ArrayRef<StringRef>{"step", "evaluate", "loss", "target", "loss_scale", "squares", "add"},
                      isText) &&
         isNumber("ignore") && isNumber("sweep") && (!training.contains("classes") || isNumber("classes")) &&
         (!training.contains("graph") || attrs::isListOf<StringAttr>(training.get("graph"))) &&
         has(DictionaryAttr(), "optimizers") &&
         llvm::all_of(training.getAs<DictionaryAttr>("optimizers"),
                      [](NamedAttribute each) { return isa<StringAttr>(each.getValue()); });
}

static constexpr AttrDeclaration training{trainingName, OnModule, "a dictionary of training (ane/IR/Training.h)",
                                          isTraining, "which functions train the module's parameters"};

static bool isAdapters(Attribute value) {
  auto adapters = dyn_cast<DictionaryAttr>(value);
  auto isPair = [](Attribute item) {
    auto pair = dyn_cast<DictionaryAttr>(item);
    return pair && pair.getAs<BoolAttr>("transposed") && pair.getAs<IntegerAttr>("heads") &&
           llvm::all_of(ArrayRef<StringRef>{"layer", "weight", "a", "b"},
                        [&](StringRef name) { return bool(pair.getAs<StringAttr>(name)); });
  };
  auto pairs = adapters ? adapters.getAs<ArrayAttr>("pairs") : ArrayAttr();
  auto targets = adapters ? adapters.get("targets") : Attribute();
  return pairs && targets && attrs::isListOf<StringAttr>(targets) && adapters.getAs<IntegerAttr>("rank") &&
         adapters.getAs<FloatAttr>("alpha") && llvm::all_of(pairs, isPair);
}

static constexpr AttrDeclaration adapters{adaptersName, OnModule, "a dictionary of adapters (ane/IR/Adapters.h)",
                                          isAdapters, "the low-rank adapters beside the model's linear layers"};

static bool isHuggingFaceForm(Attribute value) {
  auto form = dyn_cast<DictionaryAttr>(value);
  auto tensors = form ? form.getAs<DictionaryAttr>("tensors") : DictionaryAttr();
  auto isText = [&](StringRef name) { return !form.contains(name) || form.getAs<StringAttr>(name); };
  return tensors && isText("config") && isText("refused") && llvm::all_of(tensors, [](NamedAttribute each) {
           auto tensor = dyn_cast<DictionaryAttr>(each.getValue());
           return tensor && tensor.getAs<StringAttr>("name") &&
                  (!tensor.contains("heads") || tensor.getAs<IntegerAttr>("heads"));
         });
}

static constexpr AttrDeclaration huggingFace{huggingFaceName, OnModule, "a dictionary of names (ane/IR/HuggingFace.h)",
                                             isHuggingFaceForm, "how a folder that transformers loads has the model"};

//===-- places ------------------------------------------------------------===//

/// All of them; an attribute that is missing here is refused everywhere.
static constexpr const AttrDeclaration *declarations[] = {&adapters,
                                                          &huggingFace,
                                                          &attrs::batchStatistics,
                                                          &attrs::bucket,
                                                          &attrs::bucketAxes,
                                                          &check,
                                                          &attrs::configuration,
                                                          &attrs::cut,
                                                          &attrs::decides,
                                                          &attrs::declined,
                                                          &attrs::from,
                                                          &attrs::holds,
                                                          &attrs::host,
                                                          &attrs::initial,
                                                          &languageModel,
                                                          &attrs::ioName,
                                                          &attrs::keep,
                                                          &attrs::layout,
                                                          &attrs::masked,
                                                          &attrs::maskRows,
                                                          &attrs::milVersion,
                                                          &attrs::name,
                                                          &attrs::opset,
                                                          &attrs::overflow,
                                                          &attrs::parameterName,
                                                          &attrs::parameters,
                                                          &attrs::phase,
                                                          &attrs::portName,
                                                          &attrs::prefer,
                                                          &attrs::range,
                                                          &attrs::recomputed,
                                                          &attrs::role,
                                                          &attrs::sources,
                                                          &attrs::statistic,
                                                          &attrs::stopsGradient,
                                                          &attrs::surface,
                                                          &attrs::target,
                                                          &attrs::trainable,
                                                          &training,
                                                          &attrs::weights};

static constexpr std::pair<AttrPlace, StringLiteral> placeNames[] = {
    {OnModule, "modules"}, {OnFunction, "functions"},  {OnArgument, "arguments"}, {OnResult, "results of functions"},
    {OnState, "states"},   {OnProgram, "ane.program"}, {OnOp, "other ops"}};

static AttrPlace placeOf(Operation *op) {
  if (isa<ModuleOp>(op))
    return OnModule;
  if (isa<FunctionOpInterface>(op))
    return OnFunction;
  if (isa<ProgramOp>(op))
    return OnProgram;
  return isa<StateOp>(op) ? OnState : OnOp;
}

/// Checks an attribute that stands in `place`, of or at `op`.
static LogicalResult verifyDeclared(Operation *op, AttrPlace place, NamedAttribute attr, const Twine &where = "") {
  const AttrDeclaration *found = nullptr;
  for (const AttrDeclaration *each : declarations)
    if (each->name == attr.getName() && !(found && found->places & place))
      found = each;
  if (!found) {
    InFlightDiagnostic error = op->emitOpError()
                               << "has " << where << "the attribute " << attr.getName() << ", which is none of ";
    llvm::interleaveComma(declarations, error, [&](const AttrDeclaration *each) { error << each->name; });
    return error;
  }
  const AttrDeclaration &declared = *found;
  if (!(declared.places & place)) {
    InFlightDiagnostic error = op->emitOpError() << "can't have " << where << declared.name << " (" << declared.meaning
                                                 << "), which is for ";
    llvm::ListSeparator separator(" and ");
    for (auto [allowed, name] : placeNames)
      if (declared.places & allowed)
        error << StringRef(separator) << name;
    return error;
  }
  if (!declared.holds(attr.getValue()))
    return op->emitOpError() << "has " << where << declared.name << " = " << attr.getValue() << ": " << declared.meaning
                             << " must be " << declared.type;
  return success();
}

LogicalResult ANEDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  return verifyDeclared(op, placeOf(op), attr);
}

LogicalResult ANEDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index, NamedAttribute attr) {
  return verifyDeclared(op, OnArgument, attr, "at argument " + Twine(index) + " ");
}

LogicalResult ANEDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index, NamedAttribute attr) {
  return verifyDeclared(op, OnResult, attr, "at result " + Twine(index) + " ");
}
