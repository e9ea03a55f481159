//===- TextFiles.cpp - what makes tokens of a text, and texts of a chat ---===//

#include "Config.h"
#include "GGUF.h"
#include "ane/IR/LanguageModel.h"
#include "ane/Import/LM.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "runtime/text/template/chat_template.h"
#include "runtime/text/tokenizer/readers.h"
#include "runtime/text/tokenizer/tokenizer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ane;
using nlohmann::ordered_json;
namespace text = ::ane::rt::text;
namespace gguf = ::ane::rt::gguf;

static std::string withRemedy(const std::string &problem) {
  return problem + (StringRef(problem).contains("remedy: ") ? ", or " : "; remedy: ") +
         "--tokenizer=PATH gives another tokenizer, --tokenizer=none makes a bundle that takes ids of tokens and no "
         "text";
}

namespace {
class TextReader {
public:
  TextReader(ModuleOp module, DictionaryAttr model, StringRef place)
      : module(module), model(model), place(place.str()) {}

  FailureOr<std::vector<TextFile>> run() {
    absl::StatusOr<text::Tokenizer> tokenizer = open();
    if (absl::IsNotFound(tokenizer.status())) {
      module.emitWarning() << std::string(tokenizer.status().message())
                           << "; the bundle takes ids of tokens and no text (--tokenizer=PATH names a tokenizer)";
      return std::vector<TextFile>();
    }
    if (!tokenizer.ok())
      return module.emitError() << withRemedy(std::string(tokenizer.status().message()));
    if (std::string wrong = misfit(tokenizer->model()); !wrong.empty())
      return module.emitError() << withRemedy(file + ": " + wrong);
    warnOfFewTokens(tokenizer->model());
    addNames(tokenizer->model());
    if (llvm::Error wrong = lm::isGGUF(file) ? readGGUF() : readFolder())
      return module.emitError() << llvm::toString(std::move(wrong));
    std::vector<TextFile> files = {{"tokenizer/tokenizer.json", text::saveModel(tokenizer->model()) + "\n"},
                                   {"tokenizer/chat.json", names.dump(2) + "\n"}};
    if (!source.empty()) {
      warnOfTemplate();
      files.push_back({"tokenizer/chat_template.jinja", source});
    }
    return files;
  }

private:
  absl::StatusOr<text::Tokenizer> open() {
    absl::StatusOr<std::string> found = text::findTokenizer(place);
    if (!found.ok())
      return found.status();
    file = *found;
    absl::StatusOr<text::TokenizerModel> read = text::openTokenizer(file);
    return read.ok() ? text::Tokenizer::make(std::move(*read)) : read.status();
  }

  /// Why the tokens are not the model's.
  std::string misfit(const text::TokenizerModel &tokenizer) const {
    const std::vector<std::string> &tokens = tokenizer.tokens;
    int64_t vocabulary = model.getAs<IntegerAttr>("vocabulary").getInt();
    if (int64_t(tokens.size()) > vocabulary)
      return "the tokenizer has " + std::to_string(tokens.size()) + " tokens, field 'vocab_size' of the model is " +
             std::to_string(vocabulary);
    auto isToken = [&](int64_t id) { return id < int64_t(tokens.size()) && !tokens[id].empty(); };
    auto lacks = [&](int64_t id, StringRef field) {
      return ("the tokenizer has no token " + Twine(id) + ", which field '" + field + "' of the model names").str();
    };
    for (int64_t id : model.getAs<DenseI64ArrayAttr>("stop_tokens").asArrayRef())
      if (!isToken(id))
        return lacks(id, "eos_token_id");
    auto bos = model.getAs<IntegerAttr>("bos");
    return bos && !isToken(bos.getInt()) ? lacks(bos.getInt(), "bos_token_id") : "";
  }

  /// Vocabularies are filled up to a round size; one that is much larger is another tokenizer's.
  void warnOfFewTokens(const text::TokenizerModel &tokenizer) {
    int64_t vocabulary = model.getAs<IntegerAttr>("vocabulary").getInt(), known = tokenizer.tokens.size();
    if (known < vocabulary - vocabulary / 4)
      module.emitWarning() << file << ": the tokenizer has " << known << " tokens, field 'vocab_size' of the model is "
                           << vocabulary << ": is it this model's? Other tokens have no text";
  }

  /// What the tokenizer itself knows of names that templates use.
  void addNames(const text::TokenizerModel &tokenizer) {
    for (auto [name, id] : {std::pair("bos_token", tokenizer.bos), std::pair("eos_token", tokenizer.eos),
                            std::pair("unk_token", tokenizer.unknown), std::pair("pad_token", tokenizer.pad)})
      if (id)
        names[name] = tokenizer.tokens[*id];
  }

  std::string beside(StringRef name) const {
    SmallString<256> path(llvm::sys::path::parent_path(file));
    llvm::sys::path::append(path, name);
    return std::string(path);
  }

  /// Calls `take` with the object in a file beside the tokenizer's, if there is one.
  llvm::Error readBeside(StringRef name, llvm::function_ref<void(const nlohmann::json &)> take) {
    std::string path = beside(name);
    if (!llvm::sys::fs::exists(path))
      return llvm::Error::success();
    auto json = lm::Config::readJSON(path);
    if (!json)
      return json.takeError();
    if (json->is_object())
      take(*json);
    return llvm::Error::success();
  }

  /// The older of two files gives what the newer does not, as in transformers.
  llvm::Error readFolder() {
    for (StringRef name : {"special_tokens_map.json", "tokenizer_config.json"})
      if (llvm::Error wrong = readBeside(name, [&](const nlohmann::json &config) { takeNames(config); }))
        return wrong;
    for (StringRef name : {"tokenizer_config.json", "chat_template.json"})
      if (llvm::Error wrong = readBeside(name, [&](const nlohmann::json &config) { takeTemplate(config); }))
        return wrong;
    std::string own = beside("chat_template.jinja");
    if (!llvm::sys::fs::exists(own))
      return llvm::Error::success();
    auto buffer = llvm::MemoryBuffer::getFile(own);
    if (!buffer)
      return llvm::createStringError("'" + own + "': " + buffer.getError().message());
    source = (*buffer)->getBuffer().str();
    return llvm::Error::success();
  }

  /// A token is a text, or an object with its content.
  static std::string tokenOf(const nlohmann::json &value) {
    const nlohmann::json &token = value.is_object() && value.contains("content") ? value["content"] : value;
    return token.is_string() ? token.get<std::string>() : "";
  }

  void takeNames(const nlohmann::json &config) {
    for (const char *name :
         {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"})
      if (config.contains(name) && !tokenOf(config[name]).empty())
        names[name] = tokenOf(config[name]);
    const char *others = "additional_special_tokens";
    if (!config.contains(others) || !config[others].is_array() || config[others].empty())
      return;
    names[others] = ordered_json::array();
    for (const nlohmann::json &token : config[others])
      names[others].push_back(tokenOf(token));
  }

  /// A text, or several with names.
  void takeTemplate(const nlohmann::json &config) {
    if (!config.contains("chat_template"))
      return;
    const nlohmann::json &value = config["chat_template"];
    if (value.is_string())
      source = value.get<std::string>();
    if (!value.is_array())
      return;
    for (const nlohmann::json &item : value)
      if (item.is_object() && item.value("name", nlohmann::json()) == "default" && item.contains("template") &&
          item["template"].is_string())
        source = item["template"].get<std::string>();
  }

  llvm::Error readGGUF() {
    absl::StatusOr<gguf::File> opened = gguf::File::open(file);
    if (!opened.ok())
      return llvm::createStringError(std::string(opened.status().message()));
    const gguf::Value *value = opened->value("tokenizer.chat_template");
    if (const auto *held = value ? value->as<std::string_view>() : nullptr)
      source = std::string(*held);
    return llvm::Error::success();
  }

  /// Without it the model still continues texts.
  void warnOfTemplate() {
    absl::StatusOr<text::ChatTemplate> parsed = text::ChatTemplate::parse(source, "chat template of " + file);
    if (!parsed.ok())
      module.emitWarning() << std::string(parsed.status().message())
                           << "; ane-run --chat needs another one for this bundle (--chat-template=FILE)";
  }

  ModuleOp module;
  DictionaryAttr model;
  std::string place, file; // as given, and the tokenizer's own
  ordered_json names = ordered_json::object();
  std::string source; // the template
};
} // namespace

FailureOr<std::vector<TextFile>> mlir::ane::readTextFiles(ModuleOp module) {
  auto model = module->getAttrOfType<DictionaryAttr>(languageModelName);
  auto place = model ? model.getAs<StringAttr>("tokenizer") : StringAttr();
  if (!place)
    return std::vector<TextFile>();
  return TextReader(module, model, place).run();
}
