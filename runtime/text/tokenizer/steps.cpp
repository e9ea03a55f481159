//===- steps.cpp - Steps of a tokenizer in JSON ---------------------------===//
#include "runtime/text/tokenizer/steps.h"
#include "runtime/support/quote.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace ane::rt::text {
namespace {

const std::vector<std::string_view> kBehaviors = {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext",
                                                  "Contiguous"};
const std::vector<std::string_view> kForms = {"NFC", "NFD", "NFKC", "NFKD"};
const std::vector<std::string_view> kSchemes = {"first", "always", "never"};
constexpr int kMaxNesting = 8;

std::string nameOf(std::string_view name) { return std::string(name); }

/// {"String": text} or {"Regex": text}.
PatternText readPattern(Fields &fields) {
  Fields pattern(fields.object("pattern"), fields.file(), fields.place("pattern"));
  PatternText result;
  result.isRegex = pattern.find("Regex") != nullptr;
  result.text = pattern.text(result.isRegex ? "Regex" : "String");
  return result;
}
Json patternJson(const PatternText &pattern) { return {{pattern.isRegex ? "Regex" : "String", pattern.text}}; }

std::string readBytes(Fields &fields, const char *key) {
  std::string bytes, text = fields.text(key, "");
  if (!absl::Base64Unescape(text, &bytes))
    fields.fail(key, "is no base64");
  return bytes;
}

std::string readCharacter(Fields &fields, const char *key, std::optional<std::string> otherwise = std::nullopt) {
  std::string text = fields.text(key, std::move(otherwise));
  if (fields.file().status.ok() && (text.empty() || characterBytes(text, 0) != text.size()))
    fields.fail(key, absl::StrCat("is ", quote(text), ", expected one character"));
  return text;
}

/// `add_prefix_space` is the older spelling.
pretokenizer::PrependScheme readScheme(Fields &fields) {
  bool isOld = fields.flag("add_prefix_space", true);
  return static_cast<pretokenizer::PrependScheme>(
      fields.choice("prepend_scheme", kSchemes, isOld ? "always" : "never"));
}

/// Reads a step by its type with `one`, and the list of a Sequence.
template <typename Steps, typename One>
void readSteps(const Json &value, JsonFile &file, const std::string &place, const char *listName, Steps &steps, One one,
               int depth = 0) {
  if (value.is_null())
    return;
  Fields fields(value, file, place);
  std::string type = fields.text("type");
  if (type == "Sequence") {
    if (depth == kMaxNesting)
      return fields.fail("type", absl::StrCat("sequences are nested deeper than ", kMaxNesting));
    fields.list(listName, [&](const Json &step, const std::string &at) {
      readSteps(step, file, at, listName, steps, one, depth + 1);
    });
  } else if (file.status.ok() && steps.size() == kMaxSteps) {
    fields.fail("type", absl::StrCat("is more than ", kMaxSteps, " steps"));
  } else if (file.status.ok() && !one(type, fields)) {
    fields.ignoreOthers();
    fields.fail("type", absl::StrCat("is ", quote(type), ", which is not supported"));
  }
}

bool readNormalizerStep(const std::string &type, Fields &fields, std::vector<Normalizer> &steps) {
  for (size_t form = 0; form < kForms.size(); ++form)
    if (type == kForms[form]) {
      steps.push_back(normalizer::Unicode{static_cast<NormalForm>(form)});
      return true;
    }
  if (type == "Lowercase")
    steps.push_back(normalizer::Lowercase{});
  else if (type == "StripAccents")
    steps.push_back(normalizer::StripAccents{});
  else if (type == "Strip")
    steps.push_back(normalizer::Strip{fields.flag("strip_left"), fields.flag("strip_right")});
  else if (type == "Replace")
    steps.push_back(normalizer::Replace{readPattern(fields), fields.text("content")});
  else if (type == "Prepend")
    steps.push_back(normalizer::Prepend{fields.text("prepend")});
  else if (type == "BertNormalizer") {
    bool lowers = fields.flag("lowercase", true);
    steps.push_back(normalizer::Bert{fields.flag("clean_text", true), fields.flag("handle_chinese_chars", true),
                                     fields.flag("strip_accents", lowers), lowers});
  } else if (type == "Precompiled")
    steps.push_back(normalizer::Precompiled{readBytes(fields, "precompiled_charsmap")});
  else if (type == "SentencePiece")
    steps.push_back(normalizer::SentencePiece{readBytes(fields, "precompiled_charsmap"), fields.flag("add_prefix"),
                                              fields.flag("remove_extra_spaces")});
  else
    return false;
  return true;
}

bool readPreTokenizerStep(const std::string &type, Fields &fields, std::vector<PreTokenizer> &steps) {
  auto behavior = [&](std::optional<std::string> otherwise = std::nullopt) {
    return static_cast<Behavior>(fields.choice("behavior", kBehaviors, std::move(otherwise)));
  };
  if (type == "ByteLevel") {
    fields.ignore({"trim_offsets"});
    steps.push_back(pretokenizer::ByteLevel{fields.flag("add_prefix_space"), fields.flag("use_regex", true)});
  } else if (type == "Split")
    steps.push_back(pretokenizer::Split{readPattern(fields), behavior(), fields.flag("invert")});
  else if (type == "CharDelimiterSplit")
    steps.push_back(
        pretokenizer::Split{{readCharacter(fields, "delimiter"), /*isRegex=*/false}, Behavior::Removed, false});
  else if (type == "Whitespace")
    steps.push_back(pretokenizer::Whitespace{});
  else if (type == "WhitespaceSplit")
    steps.push_back(pretokenizer::WhitespaceSplit{});
  else if (type == "BertPreTokenizer")
    steps.push_back(pretokenizer::Bert{});
  else if (type == "Digits")
    steps.push_back(pretokenizer::Digits{fields.flag("individual_digits")});
  else if (type == "Punctuation")
    steps.push_back(pretokenizer::Punctuation{behavior("Isolated")});
  else if (type == "Metaspace") {
    fields.ignore({"str_rep"});
    steps.push_back(
        pretokenizer::Metaspace{readCharacter(fields, "replacement"), readScheme(fields), fields.flag("split", true)});
  } else
    return false;
  return true;
}

bool readDecoderStep(const std::string &type, Fields &fields, std::vector<Decoder> &steps) {
  if (type == "ByteLevel") {
    fields.ignore({"add_prefix_space", "trim_offsets", "use_regex"});
    steps.push_back(decoder::ByteLevel{});
  } else if (type == "ByteFallback")
    steps.push_back(decoder::ByteFallback{fields.flag("by_character", false)});
  else if (type == "Fuse")
    steps.push_back(decoder::Fuse{});
  else if (type == "Strip") {
    decoder::Strip step{readCharacter(fields, "content"), fields.integer("start"), fields.integer("stop")};
    if (step.start < 0 || step.stop < 0)
      fields.fail("start", "or stop is below 0");
    steps.push_back(step);
  } else if (type == "Replace")
    steps.push_back(decoder::Replace{readPattern(fields), fields.text("content")});
  else if (type == "Metaspace") {
    fields.ignore({"str_rep", "split"});
    steps.push_back(decoder::Metaspace{readCharacter(fields, "replacement"),
                                       readScheme(fields) == pretokenizer::PrependScheme::Never});
  } else if (type == "WordPiece")
    steps.push_back(decoder::WordPiece{fields.text("prefix"), fields.flag("cleanup")});
  else if (type == "SentencePiece")
    steps.push_back(decoder::SentencePiece{fields.text("unknown"), fields.text("unknown_text"),
                                           fields.flag("drop_prefix"), fields.flag("drop_all")});
  else if (type == "BPEDecoder")
    steps.push_back(decoder::Bpe{fields.text("suffix")});
  else
    return false;
  return true;
}

std::string base64(const std::string &bytes) { return absl::Base64Escape(bytes); }

struct NormalizerJson {
  Json operator()(const normalizer::Unicode &step) {
    return {{"type", nameOf(kForms[static_cast<size_t>(step.form)])}};
  }
  Json operator()(const normalizer::Lowercase &) { return {{"type", "Lowercase"}}; }
  Json operator()(const normalizer::StripAccents &) { return {{"type", "StripAccents"}}; }
  Json operator()(const normalizer::Strip &step) {
    return {{"type", "Strip"}, {"strip_left", step.left}, {"strip_right", step.right}};
  }
  Json operator()(const normalizer::Replace &step) {
    return {{"type", "Replace"}, {"pattern", patternJson(step.pattern)}, {"content", step.content}};
  }
  Json operator()(const normalizer::Prepend &step) { return {{"type", "Prepend"}, {"prepend", step.text}}; }
  Json operator()(const normalizer::Bert &step) {
    return {{"type", "BertNormalizer"},
            {"clean_text", step.cleanText},
            {"handle_chinese_chars", step.separateIdeographs},
            {"strip_accents", step.stripAccents},
            {"lowercase", step.lowercase}};
  }
  Json operator()(const normalizer::Precompiled &step) {
    return {{"type", "Precompiled"}, {"precompiled_charsmap", base64(step.charsmap)}};
  }
  Json operator()(const normalizer::SentencePiece &step) {
    return {{"type", "SentencePiece"},
            {"precompiled_charsmap", base64(step.charsmap)},
            {"add_prefix", step.addsPrefix},
            {"remove_extra_spaces", step.removesExtraSpaces}};
  }
};

struct PreTokenizerJson {
  Json operator()(const pretokenizer::ByteLevel &step) {
    return {{"type", "ByteLevel"}, {"add_prefix_space", step.addsPrefixSpace}, {"use_regex", step.usesRegex}};
  }
  Json operator()(const pretokenizer::Split &step) {
    return {{"type", "Split"},
            {"pattern", patternJson(step.pattern)},
            {"behavior", nameOf(kBehaviors[static_cast<size_t>(step.behavior)])},
            {"invert", step.isInverted}};
  }
  Json operator()(const pretokenizer::Whitespace &) { return {{"type", "Whitespace"}}; }
  Json operator()(const pretokenizer::WhitespaceSplit &) { return {{"type", "WhitespaceSplit"}}; }
  Json operator()(const pretokenizer::Bert &) { return {{"type", "BertPreTokenizer"}}; }
  Json operator()(const pretokenizer::Digits &step) {
    return {{"type", "Digits"}, {"individual_digits", step.individual}};
  }
  Json operator()(const pretokenizer::Punctuation &step) {
    return {{"type", "Punctuation"}, {"behavior", nameOf(kBehaviors[static_cast<size_t>(step.behavior)])}};
  }
  Json operator()(const pretokenizer::Metaspace &step) {
    return {{"type", "Metaspace"},
            {"replacement", step.replacement},
            {"prepend_scheme", nameOf(kSchemes[static_cast<size_t>(step.scheme)])},
            {"split", step.splits}};
  }
};

struct DecoderJson {
  Json operator()(const decoder::ByteLevel &) { return {{"type", "ByteLevel"}}; }
  Json operator()(const decoder::ByteFallback &step) {
    return {{"type", "ByteFallback"}, {"by_character", step.byCharacter}};
  }
  Json operator()(const decoder::Fuse &) { return {{"type", "Fuse"}}; }
  Json operator()(const decoder::Strip &step) {
    return {{"type", "Strip"}, {"content", step.content}, {"start", step.start}, {"stop", step.stop}};
  }
  Json operator()(const decoder::Replace &step) {
    return {{"type", "Replace"}, {"pattern", patternJson(step.pattern)}, {"content", step.content}};
  }
  Json operator()(const decoder::Metaspace &step) {
    return {{"type", "Metaspace"},
            {"replacement", step.replacement},
            {"prepend_scheme", step.keepsFirst ? "never" : "always"}};
  }
  Json operator()(const decoder::WordPiece &step) {
    return {{"type", "WordPiece"}, {"prefix", step.prefix}, {"cleanup", step.cleansUp}};
  }
  Json operator()(const decoder::SentencePiece &step) {
    return {{"type", "SentencePiece"},
            {"unknown", step.unknown},
            {"unknown_text", step.unknownText},
            {"drop_prefix", step.dropsPrefix},
            {"drop_all", step.dropsAll}};
  }
  Json operator()(const decoder::Bpe &step) { return {{"type", "BPEDecoder"}, {"suffix", step.suffix}}; }
};

} // namespace

void readNormalizer(const Json &value, JsonFile &file, const std::string &place, std::vector<Normalizer> &steps) {
  readSteps(value, file, place, "normalizers", steps,
            [&](const std::string &type, Fields &fields) { return readNormalizerStep(type, fields, steps); });
}

void readPreTokenizer(const Json &value, JsonFile &file, const std::string &place, std::vector<PreTokenizer> &steps) {
  readSteps(value, file, place, "pretokenizers", steps,
            [&](const std::string &type, Fields &fields) { return readPreTokenizerStep(type, fields, steps); });
}

void readDecoder(const Json &value, JsonFile &file, const std::string &place, std::vector<Decoder> &steps) {
  readSteps(value, file, place, "decoders", steps,
            [&](const std::string &type, Fields &fields) { return readDecoderStep(type, fields, steps); });
}

void readFlags(Fields &fields, bool needsAll, AddedToken &token) {
  std::optional<bool> otherwise = needsAll ? std::nullopt : std::optional(false);
  token.isSpecial = fields.flag("special", otherwise);
  token.lstrip = fields.flag("lstrip", otherwise);
  token.rstrip = fields.flag("rstrip", otherwise);
  token.singleWord = fields.flag("single_word", otherwise);
  token.normalized = fields.flag("normalized", otherwise);
}

Json toJson(const Normalizer &step) { return std::visit(NormalizerJson{}, step); }
Json toJson(const PreTokenizer &step) { return std::visit(PreTokenizerJson{}, step); }
Json toJson(const Decoder &step) { return std::visit(DecoderJson{}, step); }

} // namespace ane::rt::text
