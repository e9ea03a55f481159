//===- Import.cpp - import of language models -----------------------------===//

#include "Architectures.h"
#include "DecoderBuilder.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/Import/LM.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;

static std::string inside(StringRef folder, StringRef name) {
  SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

bool mlir::ane::isLanguageModel(StringRef path) {
  return llvm::sys::fs::is_directory(path) && llvm::sys::fs::exists(inside(path, "config.json"));
}

namespace {
class Importer {
public:
  Importer(StringRef path, const LMImportOptions &options, MLIRContext *context)
      : path(path), options(options), context(context) {}

  FailureOr<OwningOpRef<ModuleOp>> run() {
    auto config = Config::read(inside(path, "config.json"));
    if (!config)
      return fail(llvm::toString(config.takeError())), failure();
    std::optional<Description> model = describe(*config);
    if (!model)
      return failure();
    auto source = TensorSource::openDirectory(path, context);
    if (!source)
      return fail(llvm::toString(source.takeError())), failure();
    OwningOpRef<ModuleOp> module = ModuleOp::create(location());
    build(*module, std::get<Decoder>(*model), *source);
    if (const std::vector<std::string> &problems = source->finish(); !problems.empty())
      return failAll(problems), failure();
    attrs::weights.set(*module, source->names(context));
    return module;
  }

private:
  Location location() { return FileLineColLoc::get(context, path, 0, 0); }
  void fail(const Twine &message) { emitError(location()) << message; }
  void failAll(ArrayRef<std::string> problems) {
    fail("the model can't be imported:\n  " + llvm::join(problems, "\n  "));
  }

  std::optional<Description> describe(Config &config) {
    std::string type = config.text("model_type");
    const Architecture *known = llvm::find_if(allArchitectures(), [&](auto &a) { return a.modelType == type; });
    if (known == allArchitectures().end()) {
      auto names = llvm::map_range(allArchitectures(), [](const Architecture &a) { return a.modelType; });
      fail(config.origin() + ": field 'model_type' is '" + type + "'; language models that are supported are " +
           llvm::join(names, ", ") + "; remedy: give the directory of another model to anemone.compile in Python");
      return std::nullopt;
    }
    for (StringRef field : {"bos_token_id", "eos_token_id", "pad_token_id"})
      (void)config.integers(field);
    positions = options.context ? options.context : std::min<int64_t>(positionsOf(config), defaultContext);
    Description model = known->describe(config, positions);
    const Sizes &sizes = std::visit([](auto &m) -> const Sizes & { return m.sizes; }, model);
    std::vector<std::string> problems = config.finish();
    checkSizes(sizes, config.origin(), problems);
    if (positions > sizes.positions)
      problems.push_back("--context=" + std::to_string(positions) + ": the model was made for " +
                         std::to_string(sizes.positions) + " tokens (" + config.origin() + "); give at most that many");
    int64_t limit = std::min(positions, maxPrefill);
    for (int64_t size : options.prefill)
      if (size > limit)
        problems.push_back("--prefill: a prompt of " + std::to_string(size) + " tokens, limit " +
                           std::to_string(limit) + " (the context, and " + std::to_string(maxPrefill) + ")");
    if (problems.empty())
      return model;
    failAll(problems);
    return std::nullopt;
  }

  /// Larger ones would make values that no tensor holds.
  void checkSizes(const Sizes &sizes, const std::string &file, std::vector<std::string> &problems) const {
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

  void build(ModuleOp module, const Decoder &model, TensorSource &source) {
    DecoderBuilder builder(module, model, source, positions);
    for (const std::string &name : model.ignoredTensors)
      source.ignore(name);
    builder.createStates();
    builder.createFunction("decode", 1);
    for (int64_t size : options.prefill)
      builder.createFunction("prefill_" + std::to_string(size), size);
    if (options.prefill.empty())
      for (int64_t size = 32; size <= largestPrompt(); size *= 2)
        builder.createFunction("prefill_" + std::to_string(size), size);
  }

  static constexpr int64_t defaultContext = 2048, defaultPrefill = 1024, maxPrefill = 8192;
  std::string path;
  const LMImportOptions &options;
  MLIRContext *context;
  int64_t positions = 0;
};
} // namespace

FailureOr<OwningOpRef<ModuleOp>> mlir::ane::importLanguageModel(StringRef path, const LMImportOptions &options,
                                                                MLIRContext *context) {
  context->loadDialect<ANEDialect, func::FuncDialect>();
  return Importer(path, options, context).run();
}
