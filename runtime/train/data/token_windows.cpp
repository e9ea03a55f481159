//===- token_windows.cpp - Tokens in examples of a length -----------------===//
#include "absl/strings/str_cat.h"
#include "runtime/support/hash.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/quote.h"
#include "runtime/train/data/readers.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace ane::rt::train {
namespace {

/// Token 1 begins a document in files of llama2.c.
constexpr int32_t kTokenFileBos = 1;

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

/// Tokens by number, and where documents begin.
struct ListedTokens {
  Documents documents;

  uint64_t size() const { return documents.tokens.size(); }
  int32_t at(uint64_t index) const { return documents.tokens[index]; }
  bool begins(uint64_t index) const {
    return std::binary_search(documents.begins.begin(), documents.begins.end(), index);
  }
  std::string source() const { return documents.source; }
  std::string describe() const {
    return absl::StrCat(size(), " tokens of ", documents.begins.size(),
                        documents.begins.size() == 1 ? " document" : " documents");
  }
  std::string fingerprint() const {
    Hash hash;
    hash.update(documents.tokens.data(), documents.tokens.size() * sizeof(int32_t));
    hash.update(documents.begins.data(), documents.begins.size() * sizeof(uint64_t));
    return hash.digest();
  }
};

/// uint16, little-endian.
struct MappedTokens {
  MappedFile mapping; ///< of openTokenFile()
  const uint8_t *data;
  uint64_t count;
  std::string name;

  uint64_t size() const { return count; }
  int32_t at(uint64_t index) const {
    uint16_t token;
    std::memcpy(&token, data + 2 * index, sizeof token);
    return token;
  }
  bool begins(uint64_t index) const { return at(index) == kTokenFileBos; }
  std::string source() const { return name; }
  std::string describe() const { return absl::StrCat(count, " tokens"); }
  std::string fingerprint() const {
    Hash hash;
    hash.update(data, 2 * count);
    return hash.digest();
  }
};

/// How an example of tokens lies in the signature's fields.
struct WindowShape {
  int64_t sequence = 0; ///< tokens that are used
  int64_t length = 0;   ///< that the step takes
  ElementType input, target;
  std::optional<ElementType> positions; ///< of those that count from each document's beginning
  int64_t ignore = 0;
  int64_t limit = 0; ///< tokens are below it
  std::string reader;
};

absl::StatusOr<WindowShape> shapeOf(const Signature &signature, int64_t sequence, const std::string &source) {
  const Field *target = signature.target();
  const bool hasPositions = signature.fields.size() == 3 && signature.fields[1].name == "position_ids";
  if ((signature.fields.size() != 2 && !hasPositions) || !target || !signature.ignore ||
      signature.fields[0].name != "input_ids") {
    std::string fields;
    for (const Field &field : signature.fields)
      absl::StrAppend(&fields, fields.empty() ? "" : ", ", quote(field.name));
    return wrong(source,
                 ": tokens are for a step that takes \"input_ids\" and a target of cross-entropy; this one takes ",
                 fields, "; give an .npz file with these arrays");
  }
  const Field &input = signature.fields[0];
  auto isTokens = [](const Field &field) {
    return field.type.shape.size() == 1 &&
           (field.type.dtype == ElementType::Int32 || field.type.dtype == ElementType::Int64);
  };
  const Field &between = signature.fields[signature.fields.size() - 2]; // positions, or the input again
  if (!isTokens(input) || !isTokens(*target) || !isTokens(between) || input.type.shape != target->type.shape ||
      input.type.shape != between.type.shape)
    return wrong(source, ": tokens are for inputs int32 or int64 [batch, T]; of each example, ", quote(input.name),
                 " is ", manifest::typeText(input.type), " and ", quote(target->name), " ",
                 manifest::typeText(target->type));
  WindowShape shape;
  shape.length = input.type.shape[0];
  shape.sequence = sequence == 0 ? shape.length : sequence;
  if (shape.sequence < 1 || shape.sequence > shape.length)
    return wrong("sequences of ", sequence, " tokens; the bundle takes 1 to ", shape.length,
                 "; compile the model again for longer ones, or train with shorter ones");
  shape.input = input.type.dtype;
  shape.target = target->type.dtype;
  if (hasPositions)
    shape.positions = between.type.dtype;
  shape.ignore = *signature.ignore;
  shape.limit = input.reader.empty() ? std::numeric_limits<int32_t>::max() : input.max + 1;
  shape.reader = input.reader;
  return shape;
}

void store(ElementType type, void *to, int64_t at, int64_t value) {
  if (type == ElementType::Int64)
    static_cast<int64_t *>(to)[at] = value;
  else
    static_cast<int32_t *>(to)[at] = static_cast<int32_t>(value);
}

template <typename Tokens>
class Windows : public Dataset {
public:
  static absl::StatusOr<std::shared_ptr<const Dataset>> make(Tokens tokens, const Signature &signature,
                                                             int64_t sequence) {
    absl::StatusOr<WindowShape> shape = shapeOf(signature, sequence, tokens.source());
    if (!shape.ok())
      return shape.status();
    if (tokens.size() <= static_cast<uint64_t>(shape->sequence))
      return wrong(tokens.source(), ": has ", tokens.describe(), ", an example of ", shape->sequence, " takes ",
                   shape->sequence + 1, "; give more data or train with shorter sequences");
    for (uint64_t i = 0; i < tokens.size(); ++i)
      if (int32_t token = tokens.at(i); token < 0 || token >= shape->limit)
        return wrong(tokens.source(), ": token ", i, " is ", token, ", the model's are 0 to ", shape->limit - 1,
                     "; the data were made with the tokenizer of another model");
    auto windows = std::make_shared<Windows>(std::move(tokens), *std::move(shape));
    for (uint64_t i = 0; i < windows->size(); ++i)
      if (!windows->hasTarget(i))
        return wrong(windows->tokens.source(), ": each target of example ", i, ", of ", windows->shape.sequence,
                     " tokens, begins a document and does not count; train with longer sequences");
    return windows;
  }

  Windows(Tokens tokens, WindowShape shape)
      : tokens(std::move(tokens)), shape(std::move(shape)), hash(this->tokens.fingerprint()) {}

  uint64_t size() const override { return (tokens.size() - 1) / static_cast<uint64_t>(shape.sequence); }
  bool isText() const override { return true; }

  void read(uint64_t index, absl::Span<void *const> to) const override {
    uint64_t first = index * static_cast<uint64_t>(shape.sequence);
    int64_t position = 0;
    for (int64_t i = 0; i < shape.length; ++i, ++position) {
      uint64_t next = first + static_cast<uint64_t>(i) + 1;
      bool isUsed = i < shape.sequence;
      store(shape.input, to[0], i, isUsed ? tokens.at(next - 1) : 0);
      store(shape.target, to.back(), i, isUsed && !tokens.begins(next) ? tokens.at(next) : shape.ignore);
      if (isUsed && tokens.begins(next - 1))
        position = 0;
      if (shape.positions)
        store(*shape.positions, to[1], i, position);
    }
  }

  std::string describe() const override {
    return absl::StrCat(tokens.source(), ": ", tokens.describe(), ", ", size(), " examples of ", shape.sequence);
  }
  std::string fingerprint() const override { return absl::StrCat(hash, "-", shape.sequence); }

private:
  bool hasTarget(uint64_t index) const {
    uint64_t first = index * static_cast<uint64_t>(shape.sequence);
    for (uint64_t next = first + 1; next <= first + static_cast<uint64_t>(shape.sequence); ++next)
      if (!tokens.begins(next))
        return true;
    return false;
  }

  Tokens tokens;
  WindowShape shape;
  std::string hash;
};

absl::StatusOr<std::shared_ptr<const Dataset>> makeTokenFile(MappedTokens tokens, uint64_t bytes,
                                                             const Signature &signature, int64_t sequence) {
  if (bytes % 2 != 0)
    return wrong(tokens.name, ": has ", bytes,
                 " bytes, tokens of llama2.c have 2 each; the file is cut off or another");
  return Windows<MappedTokens>::make(std::move(tokens), signature, sequence);
}

} // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> makeWindows(Documents documents, const Signature &signature,
                                                           int64_t sequence) {
  return Windows<ListedTokens>::make({std::move(documents)}, signature, sequence);
}

absl::StatusOr<std::shared_ptr<const Dataset>> openTokenFile(const std::string &path, const Signature &signature,
                                                             int64_t sequence) {
  absl::StatusOr<MappedFile> mapping = MappedFile::open(path);
  if (!mapping.ok())
    return mapping.status();
  const uint8_t *data = mapping->data();
  uint64_t bytes = mapping->size();
  return makeTokenFile({*std::move(mapping), data, bytes / 2, path}, bytes, signature, sequence);
}

absl::StatusOr<std::shared_ptr<const Dataset>> parseTokenFile(const uint8_t *data, uint64_t size,
                                                              const std::string &name, const Signature &signature,
                                                              int64_t sequence) {
  return makeTokenFile({{}, data, size / 2, name}, size, signature, sequence);
}

} // namespace ane::rt::train
