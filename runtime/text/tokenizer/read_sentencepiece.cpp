//===- read_sentencepiece.cpp - tokenizer.model, tokenizer.bin ------------===//
#include "runtime/support/quote.h"
#include "runtime/text/tokenizer/families.h"
#include "runtime/text/tokenizer/readers.h"
#include "runtime/text/tokenizer/text_map.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include <algorithm>
#include <cstring>

namespace ane::rt::text {
namespace {

/// A message in protobuf's wire format, field by field. The first thing that is
/// wrong ends it.
class Message {
public:
  Message(std::string_view bytes, std::string place, absl::Status &status)
      : bytes(bytes), place(std::move(place)), status(status) {}

  /// The next field: its number is `field`, and one of `integer` and `text` holds its value.
  bool next() {
    if (at == bytes.size() || !status.ok())
      return false;
    uint64_t key = varint();
    field = key >> 3;
    isText = false;
    switch (key & 7) {
    case 0:
      integer = varint();
      break;
    case 1:
      integer = fixed(8);
      break;
    case 2:
      isText = true;
      text = part(varint());
      break;
    case 5:
      integer = fixed(4);
      break;
    default:
      fail(absl::StrCat("has a field of wire type ", key & 7, "; known are 0, 1, 2 and 5"));
    }
    return status.ok();
  }
  uint64_t field = 0, integer = 0;
  std::string_view text;
  bool isText = false;

  void fail(std::string_view what) {
    if (status.ok())
      status = absl::InvalidArgumentError(absl::StrCat(place, ", byte ", at, ": ", view(what)));
  }

private:
  std::string_view bytes;
  size_t at = 0;
  std::string place;
  absl::Status &status;

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at == bytes.size())
        break;
      auto byte = static_cast<uint8_t>(bytes[at++]);
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
    fail("an integer has no end; is the file truncated?");
    return 0;
  }
  std::string_view part(uint64_t size) {
    if (size > bytes.size() - at) {
      fail(absl::StrCat(size, " bytes are announced, ", bytes.size() - at, " are left; is the file truncated?"));
      return {};
    }
    std::string_view result = bytes.substr(at, size);
    at += size;
    return result;
  }
  uint64_t fixed(size_t size) {
    uint64_t value = 0;
    std::string_view held = part(size);
    if (!held.empty())
      std::memcpy(&value, held.data(), held.size());
    return value;
  }
};

/// Field numbers are those of sentencepiece_model.proto.
class ProtoReader {
public:
  ProtoReader(std::string_view bytes, const std::string &name) : bytes(bytes), name(name) {}

  absl::StatusOr<TokenizerModel> run() {
    Message model(bytes, absl::StrCat(name, ": ModelProto"), status);
    while (model.next()) {
      if (model.field == 1 && model.isText)
        readPiece(model.text);
      else if (model.field == 2 && model.isText)
        hasTrainer = true, readTrainer(model.text);
      else if (model.field == 3 && model.isText)
        hasNormalizer = true, readNormalizer(model.text);
      else if (model.field == 5 && model.isText)
        readDenormalizer(model.text);
    }
    if (status.ok() && made.tokens.empty())
      fail("is no model of SentencePiece, or has no pieces");
    // They are behind the pieces: a file that ends between two pieces would be a smaller vocabulary.
    if (!hasTrainer || !hasNormalizer)
      fail(absl::StrCat("has no ", hasTrainer ? "normalizer_spec" : "trainer_spec", "; is the file truncated?"));
    if (status.ok())
      finish();
    if (!status.ok())
      return status;
    return std::move(made);
  }

private:
  std::string_view bytes;
  const std::string &name;
  absl::Status status;
  TokenizerModel made;
  std::vector<float> scores;
  uint64_t kind = 1; ///< 1 unigram, 2 BPE, 3 words, 4 characters
  int64_t unknown = 0, bos = 1, eos = 2, pad = -1;
  std::string charsmap, unknownText = " \xe2\x81\x87 ";
  bool addsPrefix = true, removesSpaces = true, hasTrainer = false, hasNormalizer = false;

  void fail(std::string_view what) {
    if (status.ok())
      status = absl::InvalidArgumentError(absl::StrCat(name, ": ", view(what)));
  }

  void readPiece(std::string_view text) {
    Message piece(text, absl::StrCat(name, ": piece ", made.tokens.size()), status);
    std::string_view token;
    float score = 0;
    uint64_t type = 1;
    while (piece.next()) {
      if (piece.field == 1 && piece.isText)
        token = piece.text;
      else if (piece.field == 2) {
        auto raw = static_cast<uint32_t>(piece.integer);
        std::memcpy(&score, &raw, sizeof score);
      } else if (piece.field == 3)
        type = piece.integer;
    }
    if (!status.ok())
      return;
    constexpr Role roles[] = {Role::Normal, Role::Unknown, Role::Control, Role::UserDefined, Role::Unused, Role::Byte};
    if (type < 1 || type > std::size(roles))
      return piece.fail(absl::StrCat("type is ", type, "; known are 1 to ", std::size(roles)));
    if (made.tokens.size() == kMaxTokens)
      return piece.fail(absl::StrCat("is beyond the limit of ", kMaxTokens));
    made.tokens.emplace_back(token);
    made.roles.push_back(roles[type - 1]);
    scores.push_back(score);
  }
  void readTrainer(std::string_view text) {
    Message trainer(text, absl::StrCat(name, ": trainer_spec"), status);
    while (trainer.next()) {
      auto id = static_cast<int32_t>(trainer.integer);
      switch (trainer.field) {
      case 3:
        kind = trainer.integer;
        break;
      case 24:
        if (trainer.integer != 0)
          trainer.fail("treat_whitespace_as_suffix is set, which is not supported");
        break;
      case 35:
        made.fallsBackToBytes = trainer.integer != 0;
        break;
      case 40:
        unknown = id;
        break;
      case 41:
        bos = id;
        break;
      case 42:
        eos = id;
        break;
      case 43:
        pad = id;
        break;
      case 44:
        unknownText = trainer.text;
        break;
      default: // how it was trained
        break;
      }
    }
  }
  void readNormalizer(std::string_view text) {
    Message spec(text, absl::StrCat(name, ": normalizer_spec"), status);
    while (spec.next()) {
      if (spec.field == 2 && spec.isText)
        charsmap = spec.text;
      else if (spec.field == 3)
        addsPrefix = spec.integer != 0;
      else if (spec.field == 4)
        removesSpaces = spec.integer != 0;
      else if (spec.field == 5 && spec.integer == 0)
        spec.fail("escape_whitespaces is not set, which is not supported");
    }
  }
  void readDenormalizer(std::string_view text) {
    Message spec(text, absl::StrCat(name, ": denormalizer_spec"), status);
    while (spec.next())
      if (spec.field == 2 && spec.isText && !spec.text.empty())
        spec.fail("has a map of characters, which is not supported");
  }

  void finish() {
    if (kind != 1 && kind != 2)
      return fail(absl::StrCat("trainer_spec: model_type is ", kind, ", supported are 1 (unigram) and 2 (BPE)"));
    if (kind == 2) {
      made.algorithm = Algorithm::ScoreBpe;
      made.scores = scores;
    } else {
      made.algorithm = Algorithm::Unigram;
      made.logs.assign(scores.begin(), scores.end());
      made.addsInFloat = true;
    }
    auto token = [&](int64_t id) {
      return id >= 0 && id < static_cast<int64_t>(made.tokens.size()) ? std::optional(static_cast<int32_t>(id))
                                                                      : std::nullopt;
    };
    made.unknown = token(unknown);
    made.bos = token(bos);
    made.eos = token(eos);
    made.pad = token(pad);
    for (size_t id = 0; id < made.tokens.size(); ++id)
      if (made.roles[id] == Role::Control && !made.tokens[id].empty()) {
        AddedToken added{static_cast<int32_t>(id), made.tokens[id]};
        added.isSpecial = true;
        made.added.push_back(added);
      }
    made.normalizers = {normalizer::SentencePiece{charsmap, addsPrefix, removesSpaces}};
    decodeSentencePiece(made, addsPrefix, removesSpaces, unknownText);
  }
};

} // namespace

absl::StatusOr<TokenizerModel> readSentencePiece(std::string_view bytes, const std::string &name) {
  return ProtoReader(bytes, name).run();
}

absl::StatusOr<TokenizerModel> readLlama2c(std::string_view bytes, const std::string &name) {
  TokenizerModel model;
  model.algorithm = Algorithm::ScoreBpe;
  model.fallsBackToBytes = true;
  size_t at = 0;
  auto error = [&](const auto &...what) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": token ", model.tokens.size(), ", byte ", at, ": ", what...));
  };
  auto number = [&](auto &value) {
    if (bytes.size() - at < sizeof value)
      return false;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return true;
  };
  uint32_t longest = 0;
  if (!number(longest) || longest > kMaxTokenBytes)
    return error("the longest token has ", longest, " bytes, limit ", kMaxTokenBytes);
  while (at < bytes.size()) {
    float score = 0;
    uint32_t length = 0;
    if (!number(score) || !number(length) || length > bytes.size() - at || length > kMaxTokenBytes)
      return error("has ", length, " bytes, the file ", bytes.size() - at, "; is it truncated?");
    if (model.tokens.size() == kMaxTokens)
      return error("is beyond the limit of ", kMaxTokens);
    std::string text(bytes.substr(at, length));
    at += length;
    size_t id = model.tokens.size();
    // The exporter writes BOS and EOS as they would look in a text.
    if ((id == 1 && text == "\n<s>\n") || (id == 2 && text == "\n</s>\n"))
      text = text.substr(1, text.size() - 2);
    model.tokens.push_back(absl::StrReplaceAll(text, {{" ", "\xe2\x96\x81"}}));
    model.scores.push_back(score);
    model.roles.push_back(id == 0 ? Role::Unknown : id < 3 ? Role::Control : id < 259 ? Role::Byte : Role::Normal);
  }
  if (model.tokens.size() < 259)
    return error("the file ends; llama2.c has 259 tokens before the first of text");
  for (int32_t id : {1, 2}) {
    AddedToken added{id, model.tokens[static_cast<size_t>(id)]};
    added.isSpecial = true;
    model.added.push_back(added);
  }
  model.unknown = 0;
  model.bos = 1;
  model.eos = 2;
  model.prefix = {1};
  model.normalizers = {normalizer::SentencePiece{"", /*addsPrefix=*/true, /*removesExtraSpaces=*/false}};
  decodeSentencePiece(model, /*dropsPrefix=*/true, /*dropsAllSpaces=*/false);
  return model;
}

} // namespace ane::rt::text
