//===- Import.cpp - import of language models -----------------------------===//

#include "Architectures.h"
#include "DecoderBuilder.h"
#include "EncoderBuilder.h"
#include "GGUF.h"
#include "HuggingFace.h"
#include "Llama2c.h"
#include "TrainingBuilder.h"
#include "ane/IR/HuggingFace.h"
#include "ane/IR/LanguageModel.h"
#include "ane/IR/Training.h"
#include "ane/Import/Buckets.h"
#include "ane/Import/LM.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;

static std::string inside(StringRef folder, StringRef name) {
  SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

bool mlir::ane::isLanguageModel(StringRef path) {
  if (llvm::sys::fs::is_regular_file(path))
    return isGGUF(path) || isLlama2c(path);
  return llvm::sys::fs::is_directory(path) && llvm::sys::fs::exists(inside(path, "config.json"));
}

namespace {
class Importer {
public:
  Importer(StringRef path, const LMImportOptions &options, MLIRContext *context)
      : path(path), options(options), context(context) {}

  FailureOr<OwningOpRef<ModuleOp>> run() {
    if (llvm::sys::fs::is_directory(path))
      return importDirectory();
    return isGGUF(path) ? importFile<GGUFModel>() : importFile<Llama2cModel>();
  }

private:
  FailureOr<OwningOpRef<ModuleOp>> importDirectory() {
    auto config = Config::read(inside(path, "config.json"));
    if (!config)
      return fail(llvm::toString(config.takeError())), failure();
    const Architecture *known = architectureOf(*config);
    if (!known)
      return failure();
    setFields(*config, *known, /*isHuggingFace=*/true);
    if (known->describeEncoder)
      return importEncoder(*known, *config, [&](Encoder &) { return TensorSource::openDirectory(path, context); });
    std::optional<Decoder> model = describe(*known, *config);
    if (!model)
      return failure();
    auto source = TensorSource::openDirectory(path, context);
    if (!source)
      return fail(llvm::toString(source.takeError())), failure();
    form = huggingFaceForm(*model, *model, *source, nullptr, context);
    return build(*model, *source);
  }

  /// A file that has configuration and tensors.
  template <typename Model>
  FailureOr<OwningOpRef<ModuleOp>> importFile() {
    auto file = Model::open(path, context);
    if (!file)
      return fail(llvm::toString(file.takeError())), failure();
    const Architecture *known = architectureOf(file->config);
    if (!known)
      return failure();
    setFields(file->config, *known, /*isHuggingFace=*/false);
    if constexpr (std::is_same_v<Model, GGUFModel>)
      if (known->describeEncoder)
        return importEncoder(*known, file->config, [&](Encoder &model) {
          file->adapt(model);
          return llvm::Expected<TensorSource>(std::move(file->source));
        });
    std::optional<Decoder> model = describe(*known, file->config);
    if (!model)
      return failure();
    Decoder original = *model;
    file->adapt(*model);
    form = huggingFaceForm(original, *model, file->source, &file->config.fields(), context);
    return build(*model, file->source);
  }

  /// `open` gives the tensors, and their names in the file to the description.
  FailureOr<OwningOpRef<ModuleOp>> importEncoder(const Architecture &known, Config &config,
                                                 llvm::function_ref<llvm::Expected<TensorSource>(Encoder &)> open) {
    architecture = known.modelType.str();
    positions = options.training ? options.training->tokens : options.context ? options.context : positionsOf(config);
    Encoder model = known.describeEncoder(config);
    std::vector<std::string> problems = config.finish();
    check(model.sizes, config.origin(), problems);
    if (options.training && !options.training->arePairs)
      problems.push_back(
          "--train: an encoder gives embeddings: train it with --train=contrastive on pairs of texts, or "
          "export it with its task's head to ONNX, and train that");
    if (options.training && options.training->areDocumentsApart)
      problems.push_back("--documents: a text of an encoder has an example's tokens for itself; leave the flag out");
    if (options.argmax || !options.logits)
      problems.push_back(
          "--head: an encoder gives the embedding of a text and has no other output; leave the flag out");
    if (options.parallel)
      problems.push_back("--parallel=" + std::to_string(options.parallel) + ": " + config.origin() +
                         " is of an encoder, which decodes nothing; leave the flag out");
    if (options.isCacheHalf)
      problems.push_back("--kv-cache=fp16: " + config.origin() +
                         " is of an encoder, which has no caches; leave the flag out");
    if (llvm::Error wrong = readPooling(model, problems))
      return fail(llvm::toString(std::move(wrong))), failure();
    if (!problems.empty())
      return failAll(problems), failure();
    auto source = open(model);
    if (!source)
      return fail(llvm::toString(source.takeError())), failure();
    for (const std::string &name : model.ignoredTensors)
      source->ignore(name);
    OwningOpRef<ModuleOp> module = ModuleOp::create(location());
    if (options.training) {
      createEncoder(*module, model, *source, "main", options.training->tokens, 2 * options.training->batch);
      return finished(std::move(module), *source, model.sizes, "encoder");
    }
    Buckets buckets;
    buckets.dimension = "sequence";
    buckets.sizes = prompts();
    SmallVector<func::FuncOp> functions;
    for (int64_t size : buckets.sizes)
      functions.push_back(createEncoder(*module, model, *source, Buckets::functionName("main", size), size));
    if (failed(finish(*module, *source, "encoder", model.sizes)) ||
        failed(markBuckets(functions, "main", buckets, /*padsAlways=*/false)))
      return failure();
    return module;
  }

  /// What sentence-transformers does with the states of all tokens; by default their mean is the text's embedding.
  llvm::Error readPooling(Encoder &model, std::vector<std::string> &problems) {
    std::string file = inside(path, "1_Pooling/config.json"), list = inside(path, "modules.json");
    if (llvm::sys::fs::exists(file)) {
      auto config = Config::read(file);
      if (!config)
        return config.takeError();
      config->expect("word_embedding_dimension", model.sizes.width);
      model.takesFirst = config->flagOr("pooling_mode_cls_token", false);
      config->expect("pooling_mode_mean_tokens", !model.takesFirst);
      for (StringRef other : {"pooling_mode_max_tokens", "pooling_mode_mean_sqrt_len_tokens",
                              "pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"})
        config->expect(other, false);
      config->ignore({"include_prompt"});
      llvm::append_range(problems, config->finish());
    }
    if (!llvm::sys::fs::exists(list))
      return llvm::Error::success();
    auto modules = Config::readJSON(list);
    if (!modules)
      return modules.takeError();
    for (const nlohmann::json &item : *modules) {
      auto type = item.is_object() ? item.find("type") : item.end();
      const auto *name = type == item.end() ? nullptr : type->get_ptr<const std::string *>();
      StringRef kind = name ? StringRef(*name).rsplit('.').second : "";
      model.normalizes |= kind == "Normalize";
      if (kind != "Transformer" && kind != "Pooling" && kind != "Normalize")
        problems.push_back(list + ": module '" + (name ? *name : "") +
                           "' is not supported; supported are Transformer, Pooling and Normalize");
    }
    return llvm::Error::success();
  }

  Location location() { return FileLineColLoc::get(context, path, 0, 0); }
  /// The location has the model's path; readers name their file, which may be that.
  void fail(const Twine &message) {
    std::string text = message.str();
    StringRef problem = text;
    problem.consume_front(path + ": ");
    emitError(location()) << problem;
  }
  void failAll(ArrayRef<std::string> problems) {
    fail("the model can't be imported:\n  " + llvm::join(problems, "\n  "));
  }

  /// Null after an error.
  const Architecture *architectureOf(Config &config) {
    std::string type = config.textOr("model_type");
    ArrayRef<const Architecture *> all = allArchitectures();
    const auto *known = llvm::find_if(all, [&](const Architecture *a) { return a->modelType == type; });
    if (known != all.end())
      return *known;
    auto names = llvm::map_range(all, [](const Architecture *a) { return a->modelType; });
    fail(config.origin() + ": field 'model_type' is '" + type + "'; language models that are supported are " +
         llvm::join(names, ", ") + "; remedy: give the directory of another model to anemone.compile in Python");
    return nullptr;
  }

  std::optional<Decoder> describe(const Architecture &known, Config &config) {
    positions = options.training  ? options.training->tokens
                : options.context ? options.context
                                  : std::min<int64_t>(positionsOf(config), defaultContext);
    Decoder model = known.describe(config, positions);
    const Sizes &sizes = model.sizes;
    architecture = known.modelType.str();
    // What an unknown size leads to is no problem of its own.
    readTokens(config, config.problems().empty() ? sizes.vocabulary : std::numeric_limits<int64_t>::max());
    std::vector<std::string> problems = config.finish();
    check(sizes, config.origin(), problems);
    if (llvm::Error wrong = readGeneration(sizes.vocabulary, problems))
      return fail(llvm::toString(std::move(wrong))), std::nullopt;
    if (options.training && options.training->arePairs)
      problems.push_back("--train=contrastive: " + config.origin() +
                         " is of a decoder, which gives logits: train it with --train");
    if (problems.empty())
      return model;
    failAll(problems);
    return std::nullopt;
  }

  /// Larger sizes would make values that no tensor holds.
  void check(const Sizes &sizes, const std::string &file, std::vector<std::string> &problems) const {
    if (positions > sizes.positions)
      problems.push_back((options.training ? "--sequence=" : "--context=") + std::to_string(positions) +
                         ": the model was made for " + std::to_string(sizes.positions) + " tokens (" + file +
                         "); give at most that many");
    int64_t longest = std::min(positions, maxPrefill);
    for (int64_t size : options.prefill)
      if (size > longest)
        problems.push_back("--prefill: a prompt of " + std::to_string(size) + " tokens, limit " +
                           std::to_string(longest) + " (the context, and " + std::to_string(maxPrefill) + ")");
    auto check = [&](int64_t size, int64_t limit, StringRef what) {
      if (size > limit)
        problems.push_back((file + ": " + what + ": " + Twine(size) + ", limit " + Twine(limit)).str());
    };
    check(sizes.layers, 1024, "layers");
    check(sizes.heads, 1024, "heads of a layer");
    check(sizes.width, 1 << 17, "elements of a token");
    check(sizes.heads * sizes.headWidth, 1 << 18, "elements of all heads");
    check(sizes.heads * positions * largestPrompt(), int64_t(1) << 38, "scores of a prompt");
  }

  int64_t largestPrompt() const {
    return options.prefill.empty() ? std::min(positions, defaultPrefill) : options.prefill.back();
  }

  /// GPT-2 has its own name for it; what is wrong with it is told later.
  static int64_t positionsOf(Config config) {
    for (StringRef field : {"max_position_embeddings", "n_positions"})
      if (config.has(field))
        return config.integer(field);
    return 1;
  }

  /// Ids that texts begin and answers end with, each of the vocabulary.
  void readTokens(Config &config, int64_t vocabulary) {
    (void)config.integers("pad_token_id");
    std::vector<int64_t> first;
    readIds(config, "bos_token_id", vocabulary, first);
    readIds(config, "eos_token_id", vocabulary, stopTokens);
    if (!first.empty())
      bos = first.front();
  }

  /// Defaults are of the vocabulary that comes with the first model of an architecture.
  static void readIds(Config &config, StringRef field, int64_t vocabulary, std::vector<int64_t> &ids) {
    for (int64_t id : config.integers(field))
      if (bool isKnown = id >= 0 && id < vocabulary; !isKnown && config.isGiven(field))
        config.fail(field, "is " + Twine(id) + ", the vocabulary has " + Twine(vocabulary) + " tokens");
      else if (isKnown && !llvm::is_contained(ids, id))
        ids.push_back(id);
  }

  /// Answers of a chat may have other ends than texts; what else is in the file is about sampling.
  llvm::Error readGeneration(int64_t vocabulary, std::vector<std::string> &problems) {
    std::string file = inside(path, "generation_config.json");
    if (!llvm::sys::fs::exists(file))
      return llvm::Error::success();
    auto config = Config::read(file);
    if (!config)
      return config.takeError();
    readIds(*config, "eos_token_id", vocabulary, stopTokens);
    llvm::append_range(problems, config->problems());
    return llvm::Error::success();
  }

  DictionaryAttr summary(StringRef kind, const Sizes &sizes) const {
    Builder b(context);
    bool isDecoder = kind == "decoder";
    SmallVector<NamedAttribute> fields;
    auto set = [&](StringRef name, Attribute value) { fields.push_back(b.getNamedAttr(name, value)); };
    set("kind", b.getStringAttr(kind));
    set("architecture", b.getStringAttr(architecture));
    set("context", b.getI64IntegerAttr(positions));
    set("vocabulary", b.getI64IntegerAttr(sizes.vocabulary));
    set("decode", b.getStringAttr(isDecoder ? "decode" : "main"));
    SmallVector<Attribute> names;
    for (int64_t size : isDecoder ? prompts() : std::vector<int64_t>())
      names.push_back(b.getStringAttr(prefillName(size)));
    set("prefill", b.getArrayAttr(names));
    if (isDecoder && options.parallel)
      set("together", b.getStringAttr(togetherName()));
    set("stop_tokens", b.getDenseI64ArrayAttr(stopTokens));
    if (bos)
      set("bos", b.getI64IntegerAttr(*bos));
    if (window > 0)
      set("window", b.getI64IntegerAttr(window));
    if (options.tokenizer != "none")
      set("tokenizer", b.getStringAttr(options.tokenizer.empty() ? placeOfText() : options.tokenizer));
    return b.getDictionaryAttr(fields);
  }

  /// The model's own files, or the folder of one that holds weights only.
  std::string placeOfText() const {
    if (!llvm::sys::fs::is_regular_file(path) || !isLlama2c(path))
      return path;
    StringRef folder = llvm::sys::path::parent_path(path);
    return folder.empty() ? "." : folder.str();
  }

  static std::string prefillName(int64_t size) { return "prefill_" + std::to_string(size); }
  std::string togetherName() const { return "decode_" + std::to_string(options.parallel); }
  std::vector<int64_t> prompts() const {
    std::vector<int64_t> sizes = options.prefill;
    if (sizes.empty())
      for (int64_t size = 32; size <= largestPrompt(); size *= 2)
        sizes.push_back(size);
    return sizes;
  }

  /// What a checkpoint's model is told apart by, in the words of config.json.
  DictionaryAttr configurationOf(const Decoder &model) {
    Builder b(context);
    SmallVector<NamedAttribute> fields;
    auto set = [&](StringRef name, double value) { fields.push_back(b.getNamedAttr(name, b.getF64FloatAttr(value))); };
    set(model.norm.kind == Norm::Layer ? "layer_norm_eps" : "rms_norm_eps", model.norm.epsilon);
    set("attn_logit_softcapping", model.scoreCap);
    set("final_logit_softcapping", model.logitCap);
    for (const auto &[index, rope] : llvm::enumerate(model.ropes))
      if (rope.frequencies.size() > 1 && rope.frequencies[1] > 0) // theta^(-2 / width), unless it is scaled
        set("rope_theta" + std::string(index == 0 ? "" : "_" + std::to_string(index)),
            std::round(std::pow(double(rope.frequencies[1]), -double(rope.frequencies.size()))));
    return b.getDictionaryAttr(fields);
  }

  FailureOr<OwningOpRef<ModuleOp>> build(const Decoder &model, TensorSource &source) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(location());
    for (const std::string &name : model.ignoredTensors)
      source.ignore(name);
    if (options.training) {
      createTraining(*module, model, source, *options.training);
      attrs::configuration.set(*module, configurationOf(model));
      return finished(std::move(module), source, model.sizes);
    }
    DecoderBuilder builder(*module, model, source, positions, options);
    for (const LayerKind &kind : model.kinds)
      window = std::max(window, kind.window);
    builder.createStates();
    builder.createFunction("decode", 1);
    for (int64_t size : prompts())
      builder.createFunction(prefillName(size), size);
    if (options.parallel) {
      builder.createStates(options.parallel);
      builder.createTogether(togetherName(), options.parallel);
    }
    return finished(std::move(module), source, model.sizes);
  }

  FailureOr<OwningOpRef<ModuleOp>> finished(OwningOpRef<ModuleOp> module, TensorSource &source, const Sizes &sizes,
                                            StringRef kind = "decoder") {
    if (failed(finish(*module, source, kind, sizes)))
      return failure();
    return module;
  }

  /// Tells what is wrong with the tensors, and names them and what the module is.
  LogicalResult finish(ModuleOp module, TensorSource &source, StringRef kind, const Sizes &sizes) {
    if (const std::vector<std::string> &problems = source.finish(); !problems.empty())
      return failAll(problems), failure();
    attrs::weights.set(module, source.names(context));
    module->setAttr(languageModelName, summary(kind, sizes));
    if (form)
      module->setAttr(huggingFaceName, form);
    return success();
  }

  static constexpr int64_t defaultContext = 2048, defaultPrefill = 1024, maxPrefill = 8192;
  std::string path;
  const LMImportOptions &options;
  MLIRContext *context;
  int64_t positions = 0;
  std::string architecture;
  std::vector<int64_t> stopTokens;
  std::optional<int64_t> bos;
  int64_t window = 0;
  DictionaryAttr form; // null: names are Hugging Face's
};
} // namespace

FailureOr<OwningOpRef<ModuleOp>> mlir::ane::importLanguageModel(StringRef path, const LMImportOptions &options,
                                                                MLIRContext *context) {
  context->loadDialect<ANEDialect, func::FuncDialect>();
  return Importer(path, options, context).run();
}
