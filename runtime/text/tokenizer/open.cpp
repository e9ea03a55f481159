//===- open.cpp - Which reader a file or a folder is for ------------------===//
#include "runtime/text/tokenizer/json_fields.h"
#include "runtime/text/tokenizer/readers.h"
#include "runtime/text/tokenizer/tokenizer.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include <filesystem>

namespace ane::rt::text {
namespace fs = std::filesystem;

static std::string_view view(const MappedFile &file) {
  return {reinterpret_cast<const char *>(file.data()), file.size()};
}

/// BOS, EOS and padding, which tokenizer.json does not say.
static absl::Status addNames(TokenizerModel &model, const fs::path &config) {
  std::error_code ignored;
  if (!fs::exists(config, ignored))
    return absl::OkStatus();
  absl::StatusOr<Json> json = readJson(config.string());
  if (!json.ok())
    return json.status();
  for (auto [key, id] : {std::pair("bos_token", &model.bos), std::pair("eos_token", &model.eos),
                         std::pair("pad_token", &model.pad), std::pair("unk_token", &model.unknown)}) {
    if (!json->is_object() || !json->contains(key) || *id)
      continue;
    const Json &value = (*json)[key];
    const Json &token = value.is_object() && value.contains("content") ? value["content"] : value;
    // WordPiece and BPE know their unknown token; a name without a token is a mistake of the file.
    for (size_t i = 0; token.is_string() && i < model.tokens.size(); ++i)
      if (model.tokens[i] == token.get_ref<const std::string &>() && id != &model.unknown)
        *id = static_cast<int32_t>(i);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> findTokenizer(const std::string &path) {
  std::error_code ignored;
  fs::path folder = path;
  if (!fs::is_directory(folder, ignored))
    return path;
  auto has = [&](const char *name) { return fs::exists(folder / name, ignored); };
  for (const char *name : {"tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "tokenizer.bin"})
    if (has(name) && (name != std::string_view("vocab.json") || has("merges.txt")))
      return (folder / name).string();
  return absl::NotFoundError(absl::StrCat(path, ": has no tokenizer: none of tokenizer.json, tokenizer.model, "
                                                "vocab.json with merges.txt, vocab.txt, tokenizer.bin"));
}

/// The file beside `file` with what its own format does not say; empty if there is none.
static absl::StatusOr<MappedFile> openConfig(const fs::path &file) {
  fs::path config = file.parent_path() / "tokenizer_config.json";
  std::error_code ignored;
  return fs::exists(config, ignored) ? MappedFile::open(config.string()) : MappedFile();
}

static absl::StatusOr<TokenizerModel> openTokenizerFile(const std::string &path) {
  fs::path file = path;
  absl::StatusOr<MappedFile> mapping = MappedFile::open(path), config = openConfig(file);
  if (!mapping.ok() || !config.ok())
    return mapping.ok() ? config.status() : mapping.status();
  std::string_view bytes = view(*mapping);
  if (bytes.substr(0, 4) == "GGUF") {
    absl::StatusOr<gguf::File> parsed = gguf::File::parse(mapping->data(), mapping->size(), path);
    if (!parsed.ok())
      return parsed.status();
    return readGguf(*parsed, path);
  }
  if (file.extension() == ".bin")
    return readLlama2c(bytes, path);
  if (file.extension() == ".txt")
    return readVocabTxt(bytes, view(*config), path);
  if (file.extension() != ".json")
    return readSentencePiece(bytes, path);
  if (file.filename() == "vocab.json") {
    absl::StatusOr<MappedFile> merges = MappedFile::open((file.parent_path() / "merges.txt").string());
    if (!merges.ok())
      return merges.status();
    return readVocabularyAndMerges(bytes, view(*merges), view(*config), file.parent_path().string());
  }
  // The bundle's own file begins with a field that the other has not.
  if (bytes.substr(0, 4096).find("anemone-tokenizer") != std::string_view::npos)
    return loadModel(bytes, path);
  absl::StatusOr<TokenizerModel> model = readTokenizerJson(bytes, path);
  if (model.ok())
    if (absl::Status s = addNames(*model, file.parent_path() / "tokenizer_config.json"); !s.ok())
      return s;
  return model;
}

absl::StatusOr<TokenizerModel> openTokenizer(const std::string &place) {
  absl::StatusOr<std::string> path = findTokenizer(place);
  return path.ok() ? openTokenizerFile(*path) : path.status();
}

absl::StatusOr<Tokenizer> Tokenizer::ofBundle(const Folder &bundle, std::optional<int64_t> vocabulary) {
  constexpr char file[] = "tokenizer/tokenizer.json";
  constexpr int64_t mostBytes = 1 << 30;
  std::string name = bundle.nameOf(file);
  absl::StatusOr<std::string> text = bundle.read(file, mostBytes);
  if (absl::IsNotFound(text.status()))
    return absl::InvalidArgumentError(absl::StrCat(bundle.name(), " has no ", file,
                                                   ": the model was compiled without a tokenizer; compile it ",
                                                   "again with ane-compile --tokenizer=PATH, which names one"));
  if (!text.ok())
    return text.status();
  absl::StatusOr<TokenizerModel> model = loadModel(*text, name);
  if (!model.ok())
    return model.status();
  if (vocabulary && static_cast<int64_t>(model->tokens.size()) > *vocabulary)
    return absl::InvalidArgumentError(absl::StrCat(name, ": tokens: has ", model->tokens.size(),
                                                   " entries, the model's vocabulary has ", *vocabulary));
  absl::StatusOr<Tokenizer> tokenizer = make(*std::move(model));
  if (!tokenizer.ok())
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", tokenizer.status().message()));
  return tokenizer;
}

} // namespace ane::rt::text
