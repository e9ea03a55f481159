//===- Models.cpp - the models of a compilation ---------------------------===//

#include "Models.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/Support/InputFile.h"
#include "ane/Support/NamePatterns.h"
#include "ane/Target/CoreML/CoreML.h"
#include "ane/Target/MIL/MIL.h"
#include "mlir/Parser/Parser.h"
#include "runtime/format/manifest/manifest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ane;

std::string Models::Model::ownShapes() const {
  if (isLanguageModel)
    return "a language model";
  switch (format) {
  case ModelFormat::ONNX:
    return "";
  case ModelFormat::MIL:
    return "a MIL program";
  case ModelFormat::MLIR:
    return "a module of MLIR";
  case ModelFormat::CoreML:
    return "a model of Core ML";
  }
  return "";
}

std::string Models::take(const CompileFlags &flags) {
  if (flags.inputs.empty())
    return "no model given; see --help";
  std::string wrong = takeModels(flags);
  if (wrong.empty())
    wrong = takeInputs(flags);
  // What kind of model a missing file would be is not known; read() says that it is missing.
  if (!wrong.empty() || llvm::any_of(models, [](const Model &model) { return !llvm::sys::fs::exists(model.path); }))
    return wrong;
  wrong = takeLanguageModel(flags);
  if (wrong.empty())
    wrong = takeBuckets(flags);
  return wrong.empty() ? takeTraining(flags) : wrong;
}

std::string Models::takeModels(const CompileFlags &flags) {
  std::vector<std::string> names;
  for (const std::string &input : flags.inputs) {
    auto [name, path] = StringRef(input).split('=');
    // Names of files may hold a "=".
    bool isNamed = !path.empty() && !name.contains('/') && (flags.inputs.size() > 1 || !llvm::sys::fs::exists(input));
    if (!isNamed && flags.inputs.size() > 1)
      return "several models, and '" + input + "' is not NAME=FILE: each becomes the function NAME of one bundle";
    models.push_back({isNamed ? name.str() : "", isNamed ? path.str() : input, {}});
    models.back().isLanguageModel = isLanguageModel(models.back().path);
    models.back().format = formatOfFile(models.back().path);
    if (isNamed)
      names.push_back(name.str());
  }
  return checkFunctionNames(names);
}

MutableArrayRef<Models::Model> Models::modelsOf(StringRef &text) {
  auto [name, rest] = text.split(':');
  auto named = llvm::find_if(models, [name = name](const Model &model) { return model.function == name; });
  if (name.empty() || named == models.end())
    return models;
  text = rest;
  return *named;
}

std::string Models::takeInputs(const CompileFlags &flags) {
  using Add = std::string (ONNXImportOptions::*)(StringRef);
  const std::tuple<StringRef, const std::vector<std::string> &, Add> lists[] = {
      {"--dim", flags.dims, &ONNXImportOptions::addDim},
      {"--shape", flags.shapes, &ONNXImportOptions::addShape},
      {"--value", flags.values, &ONNXImportOptions::addValue},
      {"--state", flags.states, &ONNXImportOptions::addState},
      {"--state-init", flags.stateValues, &ONNXImportOptions::addStateValue}};
  for (auto &[flag, texts, add] : lists)
    for (StringRef text : texts)
      for (Model &model : modelsOf(text)) {
        if (std::string kind = model.ownShapes(); !kind.empty() && flag.starts_with("--state"))
          return "--state, --states and --state-init are for ONNX models: " + kind + " has its own states";
        // Of a model of Core ML, the shape may vary.
        else if (!kind.empty() && (model.format != ModelFormat::CoreML || flag != "--shape"))
          return "--dim, --shape and --value bind inputs of ONNX models: those of " + kind + " are static" +
                 (model.format == ModelFormat::CoreML ? ", or bound by --shape" : "");
        if (std::string wrong = (model.import.*add)(text); !wrong.empty())
          return (flag + ": " + wrong).str();
      }
  if (!flags.findStates.empty() && flags.findStates != "auto")
    return "--states=" + flags.findStates + ": auto, which goes by names; --state INPUT=OUTPUT names one";
  // What is trained here is no weight of the bundle.
  if (!flags.wantsTraining)
    trainable = flags.trainable;
  for (Model &model : models) {
    model.import.trainable = flags.trainable;
    model.import.isTrained = flags.wantsTraining;
    if (!flags.batchNorm.empty())
      model.import.batchStatistics = flags.batchNorm == "batch";
    model.import.findStates = !flags.findStates.empty() && model.ownShapes().empty();
    model.import.isOneOfSeveral = models.size() > 1;
    if (!model.import.stateValues.empty() && model.import.states.empty() && !model.import.findStates)
      return "--state-init gives states a value: name them by --state INPUT=OUTPUT or --states=auto";
  }
  if (!flags.findStates.empty() && llvm::all_of(models, [](const Model &model) { return !model.ownShapes().empty(); }))
    return "--state, --states and --state-init are for ONNX models: " + models.front().ownShapes() +
           " has its own states";
  return "";
}

std::string Models::takeTraining(const CompileFlags &flags) {
  if (!flags.wantsTraining)
    return flags.sequence || flags.batch || !flags.documents.empty()
               ? "--sequence, --batch and --documents are for functions that train: add --train"
               : "";
  if (!flags.documents.empty() && flags.documents != "joined" && flags.documents != "apart")
    return "--documents=" + flags.documents + ": joined or apart";
  const Model &model = models.front();
  if (models.size() > 1 || !model.buckets.sizes.empty())
    return "--train makes functions of one model for one size: give it alone, and no --bucket";
  if (!model.isLanguageModel)
    return flags.sequence || flags.batch || !flags.documents.empty()
               ? "--sequence, --batch and --documents are for language models: give the sizes of '" + model.path +
                     "' by --dim or --shape"
               : "";
  for (auto [flag, isGiven] :
       {std::pair("--context", bool(flags.context)), std::pair("--prefill", !flags.prefill.empty()),
        std::pair("--parallel", bool(flags.parallel)), std::pair("--kv-cache", !flags.cacheType.empty()),
        std::pair("--head", !flags.head.empty())})
    if (isGiven)
      return std::string(flag) +
             " is for functions that run a language model, and --train makes others: leave one of them out";
  for (auto [flag, number] : {std::pair("--sequence", flags.sequence), std::pair("--batch", flags.batch)})
    if (number && *number < 1)
      return std::string(flag) + "=" + std::to_string(*number) + ": 1 or more";
  if (flags.train == "contrastive" && flags.batch.value_or(1) < 2)
    return "--train=contrastive tells a pair's positive from those of other pairs in the batch: give --batch=2 or more";
  language.training = LMTraining{flags.sequence.value_or(256), flags.batch.value_or(1), flags.documents == "apart",
                                 flags.train == "contrastive"};
  return "";
}

std::string Models::takeLanguageModel(const CompileFlags &flags) {
  bool hasLanguage = llvm::any_of(models, [](const Model &model) { return model.isLanguageModel; });
  if (!hasLanguage && (flags.context || flags.parallel || !flags.cacheType.empty() || !flags.prefill.empty() ||
                       !flags.tokenizer.empty() || !flags.head.empty()))
    return "--context, --prefill, --parallel, --kv-cache, --tokenizer and --head are for language models: a directory "
           "with config.json, or a GGUF file";
  if (hasLanguage && !models.front().function.empty())
    return "'" + models.front().path +
           "' is a language model, which makes functions of its own: give it alone and without a name";
  if (flags.context && *flags.context < 1)
    return "--context=" + std::to_string(*flags.context) + ": a number of tokens is 1 or more";
  constexpr int64_t most = ::ane::rt::manifest::kMaxSequences;
  if (flags.parallel && (*flags.parallel < 2 || *flags.parallel > most))
    return "--parallel=" + std::to_string(*flags.parallel) + ": 2 to " + std::to_string(most) +
           " sequences decode together";
  if (!flags.cacheType.empty() && flags.cacheType != "fp32" && flags.cacheType != "fp16")
    return "--kv-cache=" + flags.cacheType + ": fp32 or fp16";
  if (!flags.tokenizer.empty() && flags.tokenizer != "none" && !llvm::sys::fs::exists(flags.tokenizer))
    return "--tokenizer=" + flags.tokenizer + ": there is no such file or folder";
  language = {flags.context.value_or(0), flags.prefill, flags.tokenizer};
  if (!flags.head.empty())
    language.logits = llvm::is_contained(flags.head, "logits"),
    language.argmax = llvm::is_contained(flags.head, "argmax");
  for (const std::string &output : flags.head)
    if (output != "logits" && output != "argmax")
      return "--head: no output '" + output + "': logits, argmax, or both with a comma between";
  if (flags.parallel && !language.logits)
    return "--parallel=" + std::to_string(*flags.parallel) + " draws tokens from logits: add them to --head";
  language.parallel = flags.parallel.value_or(0);
  language.isCacheHalf = flags.cacheType == "fp16";
  for (auto [i, size] : llvm::enumerate(flags.prefill))
    if (size < 2 || (i > 0 && size <= flags.prefill[i - 1]))
      return "--prefill: sizes are 2 or more and ascend; " + std::to_string(size) + " does not";
  return "";
}

std::string Models::takeBuckets(const CompileFlags &flags) {
  if (!flags.bucketPad.empty() && flags.bucketPad != "zeros")
    return "--bucket-pad=" + flags.bucketPad + ": zeros is what inputs can be filled up with";
  if (!flags.bucketPad.empty() && flags.buckets.empty())
    return "--bucket-pad fills inputs up to the sizes of --bucket: give some";
  padsAlways = !flags.bucketPad.empty();
  for (StringRef text : flags.buckets)
    for (Model &model : modelsOf(text)) {
      if (std::string kind = model.ownShapes(); !kind.empty())
        return "--bucket is for ONNX models: " + kind + " has static shapes";
      if (std::string wrong = model.buckets.take(text); !wrong.empty())
        return "--bucket: " + wrong;
    }
  std::vector<std::string> names;
  for (Model &model : models) {
    if (!model.buckets.sizes.empty() && model.function.empty())
      model.function = "main";
    if (!model.function.empty())
      names.push_back(model.function);
    for (int64_t size : model.buckets.sizes)
      names.push_back(Buckets::functionName(model.function, size));
  }
  return checkFunctionNames(names);
}

std::string Models::title(bool isShort) const {
  return llvm::join(llvm::map_range(models,
                                    [&](const Model &model) {
                                      StringRef path = isShort ? llvm::sys::path::filename(model.path) : model.path;
                                      return model.function + (model.function.empty() ? "" : "=") + path.str();
                                    }),
                    ", ");
}

static OwningOpRef<ModuleOp> parseModule(StringRef path, MLIRContext *context,
                                         function_ref<LogicalResult(const Twine &)> error) {
  auto buffer = readInputFile(path, /*isText=*/true);
  if (!buffer) {
    (void)error(llvm::toString(buffer.takeError()));
    return {};
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, context);
}

FailureOr<OwningOpRef<ModuleOp>> Models::readOne(const Model &model, MLIRContext *context,
                                                 function_ref<LogicalResult(const Twine &)> error) const {
  if (model.isLanguageModel)
    return importLanguageModel(model.path, language, context);
  if (model.format == ModelFormat::ONNX)
    return importONNX(model.path, model.import, context);
  OwningOpRef<ModuleOp> module = model.format == ModelFormat::MIL ? mil::importProgram(model.path, context)
                                 : model.format == ModelFormat::CoreML
                                     ? coreml::importModel(model.path, model.import.shapes, context)
                                     : parseModule(model.path, context, error);
  if (!module)
    return failure();
  return module;
}

LogicalResult Models::importBuckets(const Model &model, MLIRContext *context, std::vector<NamedModel> &modules) const {
  SmallVector<func::FuncOp> functions;
  for (int64_t size : model.buckets.sizes) {
    ONNXImportOptions import = model.import;
    import.dims.push_back({model.buckets.dimension, size});
    import.bucket = model.buckets.dimension;
    FailureOr<OwningOpRef<ModuleOp>> module = importONNX(model.path, import, context);
    if (failed(module))
      return failure();
    functions.push_back(*(*module)->getOps<func::FuncOp>().begin());
    modules.push_back({Buckets::functionName(model.function, size), std::move(*module), &model.import});
  }
  return markBuckets(functions, model.function, model.buckets, padsAlways);
}

/// Names of functions may stand before those of weights by now, and the module may be no ONNX model.
LogicalResult Models::markTrainable(ModuleOp module, function_ref<LogicalResult(const Twine &)> error) const {
  auto patterns = NamePatterns::create("--trainable", trainable);
  if (!patterns)
    return error(llvm::toString(patterns.takeError()));
  SetVector<Attribute> names;
  if (auto known = attrs::trainable.get(module))
    names.insert(known.begin(), known.end());
  auto weights = attrs::weights.get(module);
  for (NamedAttribute named : weights ? weights.getValue() : ArrayRef<NamedAttribute>())
    if (auto weight = dyn_cast<WeightAttr>(named.getValue());
        weight && isa<FloatType>(getElementTypeOrSelf(weight.getType())) && patterns->match(named.getName().getValue()))
      names.insert(named.getName());
  if (auto unused = patterns->unused())
    return error("--trainable=" + *unused +
                 ": no weight of floats is called so; the manifest of a bundle without this flag lists those of 1 KiB "
                 "or more");
  if (!names.empty())
    attrs::trainable.set(module, ArrayAttr::get(module.getContext(), names.getArrayRef()));
  return success();
}

bool Models::reads(StringRef path) const {
  return llvm::any_of(models, [&](const Model &model) { return llvm::sys::fs::equivalent(model.path, path); });
}

FailureOr<OwningOpRef<ModuleOp>> Models::read(MLIRContext *context,
                                              function_ref<LogicalResult(const Twine &)> error) const {
  auto module = readAll(context, error);
  if (failed(module) || failed(markTrainable(**module, error)))
    return failure();
  return module;
}

FailureOr<OwningOpRef<ModuleOp>> Models::readAll(MLIRContext *context,
                                                 function_ref<LogicalResult(const Twine &)> error) const {
  for (const Model &model : models)
    if (!llvm::sys::fs::exists(model.path))
      return error("there is no file '" + model.path + "'");
  std::vector<NamedModel> modules;
  for (const Model &model : models) {
    if (!model.buckets.sizes.empty()) {
      if (failed(importBuckets(model, context, modules)))
        return failure();
      continue;
    }
    auto module = readOne(model, context, error);
    if (failed(module))
      return failure();
    modules.push_back({model.function, std::move(*module),
                       model.format == ModelFormat::ONNX && !model.isLanguageModel ? &model.import : nullptr});
  }
  if (models.front().function.empty())
    return std::move(modules.front().module);
  auto linked = linkModels(std::move(modules));
  bool hasNoStates = succeeded(linked) && (*linked)->getOps<StateOp>().empty();
  if (hasNoStates && llvm::any_of(models, [](const Model &model) { return model.import.findStates; }))
    return error("--states=auto: no input and output of any model are called as exporters call states; name them by "
                 "--state NAME:INPUT=OUTPUT");
  return linked;
}
