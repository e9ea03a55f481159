//===- pairs.cpp - Pairs of texts, for embeddings -------------------------===//
#include "absl/strings/str_cat.h"
#include "runtime/support/hash.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/quote.h"
#include "runtime/train/data/json_lines.h"
#include "runtime/train/data/readers.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace ane::rt::train {
namespace {

constexpr const char *kMembers[] = {"anchor", "positive"};

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

/// The texts of all pairs, one behind the other.
struct Texts {
  std::vector<int32_t> tokens;
  std::vector<uint64_t> begins; ///< of each text
  uint64_t shortened = 0;       ///< texts whose end is left out

  absl::Span<const int32_t> text(uint64_t index) const {
    uint64_t end = index + 1 < begins.size() ? begins[index + 1] : tokens.size();
    return absl::MakeConstSpan(tokens).subspan(begins[index], end - begins[index]);
  }
};

class Pairs : public Dataset {
public:
  Pairs(std::string source, Texts texts, const Signature &signature, int64_t length)
      : source(std::move(source)), texts(std::move(texts)), fields(signature.fields), length(length) {
    Hash sum;
    sum.update(this->texts.tokens.data(), this->texts.tokens.size() * sizeof(int32_t));
    sum.update(this->texts.begins.data(), this->texts.begins.size() * sizeof(uint64_t));
    hash = sum.digest();
  }

  uint64_t size() const override { return texts.begins.size() / 2; }
  bool isText() const override { return false; }

  void read(uint64_t index, absl::Span<void *const> to) const override {
    for (size_t i = 0; i < fields.size(); ++i)
      for (uint64_t side = 0; side < 2; ++side) {
        absl::Span<const int32_t> text = texts.text(2 * index + side);
        for (int64_t k = 0; k < length; ++k) {
          bool isThere = static_cast<size_t>(k) < text.size();
          int32_t value = !isThere ? 0 : fields[i].name == "input_ids" ? text[k] : fields[i].name == "attention_mask";
          const int64_t at = static_cast<int64_t>(side) * length + k;
          if (fields[i].type.dtype == ElementType::Int64)
            static_cast<int64_t *>(to[i])[at] = value;
          else
            static_cast<int32_t *>(to[i])[at] = value;
        }
      }
  }

  std::string describe() const override {
    return absl::StrCat(source, ": ", size(), " pairs of texts of at most ", length, " tokens",
                        texts.shortened ? absl::StrCat("; the ends of ", texts.shortened, " are left out") : "");
  }
  std::string fingerprint() const override { return absl::StrCat(hash, "-pairs-", length); }

private:
  std::string source;
  Texts texts;
  std::vector<Field> fields;
  int64_t length;
  std::string hash;
};

/// A text that is too long loses its end, but not what the tokenizer puts around each.
absl::Status addText(std::string_view text, const text::Tokenizer &tokenizer, int64_t length, int64_t limit,
                     Texts &texts) {
  absl::StatusOr<std::vector<int32_t>> ids = tokenizer.encode(text);
  if (!ids.ok())
    return ids.status();
  if (ids->empty())
    return wrong("has a text of no tokens, which has no embedding");
  const std::vector<int32_t> &suffix = tokenizer.model().suffix;
  if (const auto most = static_cast<size_t>(length); ids->size() > most) {
    if (suffix.size() + tokenizer.model().prefix.size() >= most)
      return wrong("has a text that does not fit: the bundle takes ", length, " tokens, and ",
                   suffix.size() + tokenizer.model().prefix.size(), " stand around each text");
    ids->resize(most - suffix.size());
    ids->insert(ids->end(), suffix.begin(), suffix.end());
    ++texts.shortened;
  }
  for (int32_t id : *ids)
    if (id < 0 || id >= limit)
      return wrong("has token ", id, ", the model's are 0 to ", limit - 1, "; the tokenizer is of another model");
  texts.begins.push_back(texts.tokens.size());
  texts.tokens.insert(texts.tokens.end(), ids->begin(), ids->end());
  return absl::OkStatus();
}

/// Of each text, the tokens that the step takes.
absl::StatusOr<int64_t> lengthOf(const Signature &signature, int64_t sequence, const std::string &source) {
  const std::vector<int64_t> &shape = signature.fields[0].type.shape;
  for (const Field &field : signature.fields) {
    bool isKnown = field.name == "input_ids" || field.name == "attention_mask" || field.name == "token_type_ids";
    bool isInteger = field.type.dtype == ElementType::Int32 || field.type.dtype == ElementType::Int64;
    if (!isKnown || !isInteger || field.type.shape != shape)
      return wrong(source, ": pairs of texts are for input_ids, attention_mask and token_type_ids of integers, all of ",
                   manifest::typeText(signature.fields[0].type), " an example; ", quote(field.name), " is ",
                   manifest::typeText(field.type), "; give an .npz file with an array for each input");
  }
  if (sequence < 0 || sequence > shape[1])
    return wrong("sequences of ", sequence, " tokens; the bundle takes 1 to ", shape[1],
                 "; compile the model again for longer ones, or train with shorter ones");
  return shape[1];
}

} // namespace

bool takesPairs(const Signature &signature) {
  return !signature.hasTarget && std::any_of(signature.fields.begin(), signature.fields.end(), [](const Field &field) {
    return field.name == "input_ids" && field.type.shape.size() == 2 && field.type.shape[0] == 2;
  });
}

absl::StatusOr<std::shared_ptr<const Dataset>> readPairs(const std::vector<std::string> &paths,
                                                         const Signature &signature, int64_t sequence,
                                                         const text::Tokenizer &tokenizer) {
  absl::StatusOr<int64_t> length = lengthOf(signature, sequence, paths[0]);
  if (!length.ok())
    return length.status();
  const auto ids = std::find_if(signature.fields.begin(), signature.fields.end(),
                                [](const Field &field) { return field.name == "input_ids"; });
  const int64_t limit = ids->reader.empty() ? std::numeric_limits<int32_t>::max() : ids->max + 1;
  Texts texts;
  for (const std::string &path : paths) {
    absl::StatusOr<MappedFile> file = MappedFile::open(path);
    if (!file.ok())
      return file.status();
    std::string_view bytes(reinterpret_cast<const char *>(file->data()), file->size());
    absl::Status status = forEachJsonLine(
        bytes, path, kMembers, "two texts that belong together", [&](absl::Span<const std::string> pair) {
          for (const std::string &text : pair)
            if (absl::Status s = addText(text, tokenizer, sequence ? sequence : *length, limit, texts); !s.ok())
              return s;
          return absl::OkStatus();
        });
    if (!status.ok())
      return status;
  }
  std::string source = paths.size() == 1 ? paths[0] : absl::StrCat(paths[0], " and ", paths.size() - 1, " more");
  if (texts.begins.empty())
    return wrong(source, ": has no pairs of texts; there is nothing to train with");
  return std::make_shared<const Pairs>(std::move(source), std::move(texts), signature, *length);
}

} // namespace ane::rt::train
