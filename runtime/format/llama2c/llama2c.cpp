//===- llama2c.cpp - Checkpoints of llama2.c ------------------------------===//
#include "runtime/format/llama2c/llama2c.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace ane::rt::llama2c {
namespace {

/// "ak42", as a number of the file.
constexpr uint32_t kMagic = 0x616b3432;
constexpr uint64_t kFields = 7;

/// What a field may be at most: no product of them leaves 64 bits.
constexpr int64_t kMaxWidth = 1 << 18, kMaxHidden = 1 << 20, kMaxLayers = 1 << 12, kMaxVocabulary = 1 << 24,
                  kMaxPositions = 1 << 24;

template <typename T>
T numberAt(const uint8_t *data, uint64_t at) {
  T value;
  std::memcpy(&value, data + at, sizeof value);
  return value;
}

bool hasMagic(const uint8_t *data, uint64_t size) { return size >= 4 && numberAt<uint32_t>(data, 0) == kMagic; }

/// A tensor, or one of each layer: `layer` is what its name begins with there.
struct Place {
  std::string name;
  bool ofLayer, isMatrix;
  std::vector<int64_t> shape;
};

/// All that a file of these sizes holds, in its order. Unnamed are tables that are computed from the sizes.
std::vector<Place> placesOf(const Header &h) {
  int64_t rows = h.width, keys = h.width / h.heads * h.groups;
  Place embedding{"tok_embeddings.weight", false, true, {h.vocabulary, h.width}};
  Place output{"output.weight", false, true, {h.vocabulary, h.width}}, norm{"norm.weight", false, false, {h.width}};
  Place attentionNorm{"attention_norm.weight", true, false, {h.width}};
  Place mlpNorm{"ffn_norm.weight", true, false, {h.width}};
  std::vector<Place> attention = {{"attention.wq.weight", true, true, {rows, h.width}},
                                  {"attention.wk.weight", true, true, {keys, h.width}},
                                  {"attention.wv.weight", true, true, {keys, h.width}},
                                  {"attention.wo.weight", true, true, {h.width, rows}}};
  std::vector<Place> mlp = {{"feed_forward.w1.weight", true, true, {h.hidden, h.width}},
                            {"feed_forward.w2.weight", true, true, {h.width, h.hidden}},
                            {"feed_forward.w3.weight", true, true, {h.hidden, h.width}}};
  std::vector<Place> all;
  auto add = [&](const std::vector<Place> &more) { all.insert(all.end(), more.begin(), more.end()); };
  if (h.version == 0) {
    Place angles{"", false, false, {h.positions, h.width / h.heads / 2}};
    add({embedding, attentionNorm});
    add(attention);
    add({mlpNorm});
    add(mlp);
    add({norm, angles, angles});
  } else {
    add({attentionNorm, mlpNorm, norm, embedding});
    add(attention);
    add(mlp);
  }
  if (!h.isTied)
    add({output});
  return all;
}

int64_t countOf(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// Bytes of `elements` and of their scales.
uint64_t bytesOf(int64_t elements, bool isQuantised, int64_t groupSize) {
  auto count = static_cast<uint64_t>(elements);
  return isQuantised ? count + count / static_cast<uint64_t>(groupSize) * sizeof(float) : count * sizeof(float);
}

uint64_t headerBytesOf(int version) { return version == 0 ? kFields * sizeof(int32_t) : kHeaderBytes; }

/// What is wrong with sizes; empty if nothing is.
std::string problemOf(const Header &h) {
  struct Field {
    const char *name;
    int64_t value, limit;
  };
  for (const Field &field : {Field{"dim", h.width, kMaxWidth},
                             {"hidden_dim", h.hidden, kMaxHidden},
                             {"n_layers", h.layers, kMaxLayers},
                             {"n_heads", h.heads, kMaxWidth},
                             {"n_kv_heads", h.groups, kMaxWidth},
                             {"vocab_size", h.vocabulary, kMaxVocabulary},
                             {"max_seq_len", h.positions, kMaxPositions}})
    if (field.value < 1 || field.value > field.limit)
      return absl::StrCat(field.name, " is ", field.value, ", expected 1 to ", field.limit);
  if (h.width % (2 * h.heads) != 0)
    return absl::StrCat("n_heads is ", h.heads, ", dim ", h.width, ": heads have no even number of elements");
  if (h.heads % h.groups != 0)
    return absl::StrCat("n_kv_heads is ", h.groups, ", which does not divide n_heads, ", h.heads);
  if (h.version != 2)
    return "";
  if (h.groupSize < 1)
    return absl::StrCat("group_size is ", h.groupSize, ", expected 1 or more");
  for (const Place &place : placesOf(h))
    if (int64_t count = countOf(place.shape); place.isMatrix && count % h.groupSize != 0)
      return absl::StrCat("group_size is ", h.groupSize, ", which does not divide the ", count, " elements of ",
                          place.name);
  return "";
}

} // namespace

int64_t Tensor::elements() const { return countOf(shape); }
uint64_t Tensor::bytes() const { return static_cast<uint64_t>(elements()) * (scales ? 1 : sizeof(float)); }

uint64_t Header::fileBytes() const {
  uint64_t bytes = headerBytesOf(version);
  for (const Place &place : placesOf(*this))
    bytes += bytesOf(countOf(place.shape), place.isMatrix && groupSize != 0, groupSize) *
             static_cast<uint64_t>(place.ofLayer ? layers : 1);
  return bytes;
}

/// What a file begins with, whatever its size is.
static absl::StatusOr<Header> beginning(const uint8_t *data, uint64_t size, const std::string &name) {
  auto error = [&](const std::string &what) { return absl::InvalidArgumentError(absl::StrCat(name, ": ", what)); };
  Header h;
  uint64_t at = 0;
  if (hasMagic(data, size)) {
    if (size < kHeaderBytes)
      return error(absl::StrCat("is a checkpoint of llama2.c with ", size, " bytes, its header has ", kHeaderBytes,
                                "; is it truncated?"));
    h.version = numberAt<int32_t>(data, 4);
    if (h.version != 1 && h.version != 2)
      return error(absl::StrCat("is a checkpoint of llama2.c of version ", h.version, "; 0, 1 and 2 are known"));
    at = 8;
  } else if (size < kFields * sizeof(int32_t)) {
    return error("is no checkpoint of llama2.c: it has no header");
  }
  for (int64_t *field : {&h.width, &h.hidden, &h.layers, &h.heads, &h.groups, &h.vocabulary, &h.positions}) {
    *field = numberAt<int32_t>(data, at);
    at += sizeof(int32_t);
  }
  if (h.version == 0) {
    // A sign says that logits have a weight of their own.
    h.isTied = h.vocabulary > 0;
    h.vocabulary = std::abs(h.vocabulary);
  } else {
    if (data[at] > 1)
      return error(absl::StrCat("shared_classifier is ", int{data[at]}, ", expected 0 or 1"));
    h.isTied = data[at] == 1;
    if (h.version == 2)
      h.groupSize = numberAt<int32_t>(data, at + 1);
  }
  if (std::string wrong = problemOf(h); !wrong.empty())
    return error(wrong);
  return h;
}

absl::StatusOr<Header> header(const uint8_t *data, uint64_t size, uint64_t fileBytes, const std::string &name) {
  absl::StatusOr<Header> h = beginning(data, size, name);
  if (h.ok() && h->fileBytes() != fileBytes)
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": has ", fileBytes, " bytes, a checkpoint of llama2.c of version ", h->version,
                     " and these sizes has ", h->fileBytes(), fileBytes < h->fileBytes() ? "; is it truncated?" : ""));
  return h;
}

bool recognise(const uint8_t *data, uint64_t size) { return hasMagic(data, size) || beginning(data, size, "").ok(); }

absl::StatusOr<File> File::parse(const uint8_t *data, uint64_t size, const std::string &name) {
  absl::StatusOr<Header> head = header(data, size, size, name);
  if (!head.ok())
    return head.status();
  File file;
  file.head = *head;
  uint64_t at = headerBytesOf(head->version);
  // The header's sizes add up to the file's, so that every place is in it.
  for (const Place &place : placesOf(*head))
    for (int64_t layer = 0; layer < (place.ofLayer ? head->layers : 1); ++layer) {
      bool isQuantised = place.isMatrix && head->groupSize != 0;
      int64_t count = countOf(place.shape);
      uint64_t scales = isQuantised ? at + static_cast<uint64_t>(count) : 0;
      if (!place.name.empty())
        file.records.push_back(
            {place.ofLayer ? absl::StrCat("layers.", layer, ".", place.name) : place.name, place.shape, at, scales});
      at += bytesOf(count, isQuantised, head->groupSize);
    }
  return file;
}

absl::StatusOr<File> File::open(const std::string &path) {
  absl::StatusOr<MappedFile> mapping = MappedFile::open(path);
  if (!mapping.ok())
    return mapping.status();
  return parse(mapping->data(), mapping->size(), path);
}

} // namespace ane::rt::llama2c
