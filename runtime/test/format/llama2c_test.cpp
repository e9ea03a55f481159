#include "runtime/format/llama2c/llama2c.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>

using namespace ane::rt::llama2c;

namespace {

constexpr int32_t kWidth = 8, kHidden = 12, kLayers = 2, kHeads = 2, kGroups = 1, kVocabulary = 6, kPositions = 5;

/// The seven sizes of a header, by their place in it.
std::vector<int32_t> sizes() { return {kWidth, kHidden, kLayers, kHeads, kGroups, kVocabulary, kPositions}; }

template <typename T>
void append(std::string &bytes, T value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// A file of that many bytes behind its header, whose floats are their own numbers.
std::string makeFile(int version, const std::vector<int32_t> &fields, size_t dataBytes, bool isTied = true,
                     int32_t groupSize = 4) {
  std::string bytes;
  if (version != 0) {
    append(bytes, uint32_t{0x616b3432});
    append(bytes, int32_t{version});
  }
  for (int32_t field : fields)
    append(bytes, field);
  if (version != 0) {
    append(bytes, uint8_t{isTied});
    if (version == 2)
      append(bytes, groupSize);
    bytes.resize(kHeaderBytes);
  }
  size_t begin = bytes.size();
  for (size_t i = 0; i < dataBytes / 4; ++i)
    append(bytes, static_cast<float>(i));
  bytes.resize(begin + dataBytes);
  return bytes;
}

// Of one layer: four matrices of attention, three of the rest, two norms.
constexpr size_t kMatrices = kWidth * kWidth * 2 + kWidth * kWidth / 2 * 2 + kWidth * kHidden * 3;
constexpr size_t kNorms = kLayers * 2 * kWidth + kWidth, kEmbedding = kVocabulary * kWidth;
constexpr size_t kFloats = kLayers * kMatrices + kNorms + kEmbedding;
constexpr size_t kAngles = kPositions * kWidth / kHeads;

absl::StatusOr<File> parse(const std::string &bytes) {
  return File::parse(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), "m.bin");
}
std::string errorOf(const std::string &bytes) {
  absl::StatusOr<File> file = parse(bytes);
  return file.ok() ? "no error" : std::string(file.status().message());
}
bool isRecognised(const std::string &bytes) {
  return recognise(reinterpret_cast<const uint8_t *>(bytes.data()), std::min<uint64_t>(bytes.size(), kHeaderBytes));
}

/// Where each tensor begins, in floats behind the header.
std::map<std::string, uint64_t> beginnings(const File &file, uint64_t header) {
  std::map<std::string, uint64_t> places;
  for (const Tensor &tensor : file.tensors())
    places[tensor.name] = (tensor.offset - header) / 4;
  return places;
}

TEST(Llama2c, Version0) {
  std::string bytes = makeFile(0, sizes(), (kFloats + kAngles) * 4);
  absl::StatusOr<File> file = parse(bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  const Header &h = file->sizes();
  EXPECT_EQ(h.version, 0);
  EXPECT_EQ(h.width, kWidth);
  EXPECT_EQ(h.hidden, kHidden);
  EXPECT_EQ(h.layers, kLayers);
  EXPECT_EQ(h.heads, kHeads);
  EXPECT_EQ(h.groups, kGroups);
  EXPECT_EQ(h.vocabulary, kVocabulary);
  EXPECT_EQ(h.positions, kPositions);
  EXPECT_TRUE(h.isTied);
  EXPECT_EQ(h.groupSize, 0);
  std::map<std::string, uint64_t> places = beginnings(*file, 28);
  EXPECT_EQ(places.size(), kLayers * 9u + 2u);
  EXPECT_EQ(places["tok_embeddings.weight"], 0u);
  EXPECT_EQ(places["layers.0.attention_norm.weight"], kEmbedding);
  EXPECT_EQ(places["layers.1.attention_norm.weight"], kEmbedding + kWidth);
  EXPECT_EQ(places["layers.0.attention.wq.weight"], kEmbedding + kLayers * kWidth);
  EXPECT_EQ(places["layers.1.attention.wk.weight"], kEmbedding + kLayers * kWidth + kLayers * 64 + 32);
  // Before it: all matrices and norms of layers.
  EXPECT_EQ(places["norm.weight"], kFloats - kWidth);
  for (const Tensor &tensor : file->tensors()) {
    EXPECT_EQ(tensor.scales, 0u);
    EXPECT_EQ(tensor.bytes(), static_cast<uint64_t>(tensor.elements()) * 4) << tensor.name;
  }
}

TEST(Llama2c, Version0WithAHeadOfItsOwn) {
  std::vector<int32_t> fields = sizes();
  fields[5] = -kVocabulary;
  absl::StatusOr<File> file = parse(makeFile(0, fields, (kFloats + kAngles + kEmbedding) * 4));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_FALSE(file->sizes().isTied);
  EXPECT_EQ(file->sizes().vocabulary, kVocabulary);
  // Behind the angles, which have no name.
  EXPECT_EQ(file->tensors().back().name, "output.weight");
  EXPECT_EQ(file->tensors().back().offset, 28 + (kFloats + kAngles) * 4);
}

TEST(Llama2c, Version1) {
  absl::StatusOr<File> file = parse(makeFile(1, sizes(), (kFloats + kEmbedding) * 4, /*isTied=*/false));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->sizes().version, 1);
  std::map<std::string, uint64_t> places = beginnings(*file, kHeaderBytes);
  EXPECT_EQ(places["layers.0.attention_norm.weight"], 0u);
  EXPECT_EQ(places["layers.0.ffn_norm.weight"], kLayers * kWidth + 0u);
  EXPECT_EQ(places["norm.weight"], kLayers * 2 * kWidth + 0u);
  EXPECT_EQ(places["tok_embeddings.weight"], kNorms);
  EXPECT_EQ(places["layers.0.attention.wq.weight"], kNorms + kEmbedding);
  EXPECT_EQ(places["output.weight"], kFloats);
}

TEST(Llama2c, Version2) {
  constexpr size_t quantised = kFloats - kNorms;
  absl::StatusOr<File> file = parse(makeFile(2, sizes(), kNorms * 4 + quantised + quantised / 4 * 4));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->sizes().groupSize, 4);
  uint64_t at = kHeaderBytes + kNorms * 4;
  for (const Tensor &tensor : file->tensors()) {
    if (tensor.shape.size() == 1) {
      EXPECT_EQ(tensor.scales, 0u) << tensor.name;
      continue;
    }
    EXPECT_EQ(tensor.offset, at) << tensor.name;
    EXPECT_EQ(tensor.bytes(), static_cast<uint64_t>(tensor.elements()));
    EXPECT_EQ(tensor.scales, at + tensor.bytes());
    at = tensor.scales + tensor.bytes() / 4 * 4;
  }
}

TEST(Llama2c, WrongSizesAreNamed) {
  struct Case {
    size_t field;
    int32_t value;
    const char *says;
  };
  for (const Case &c : {Case{0, 0, "m.bin: dim is 0, expected 1 to 262144"},
                        {1, -3, "m.bin: hidden_dim is -3, expected 1 to 1048576"},
                        {2, 5000, "m.bin: n_layers is 5000, expected 1 to 4096"},
                        {3, 8, "m.bin: n_heads is 8, dim 8: heads have no even number of elements"},
                        {4, 3, "m.bin: n_kv_heads is 3, which does not divide n_heads, 2"},
                        {5, 1 << 30, "m.bin: vocab_size is 1073741824, expected 1 to 16777216"},
                        {6, 0, "m.bin: max_seq_len is 0, expected 1 to 16777216"}}) {
    std::vector<int32_t> fields = sizes();
    fields[c.field] = c.value;
    EXPECT_EQ(errorOf(makeFile(1, fields, kFloats * 4)), c.says);
  }
  EXPECT_EQ(errorOf(makeFile(2, sizes(), kFloats * 4, true, 0)), "m.bin: group_size is 0, expected 1 or more");
  EXPECT_EQ(errorOf(makeFile(2, sizes(), kFloats * 4, true, 5)),
            "m.bin: group_size is 5, which does not divide the 48 elements of tok_embeddings.weight");
  EXPECT_EQ(errorOf(makeFile(3, sizes(), kFloats * 4)),
            "m.bin: is a checkpoint of llama2.c of version 3; 0, 1 and 2 are known");
  std::string bytes = makeFile(1, sizes(), kFloats * 4);
  bytes[36] = 7;
  EXPECT_EQ(errorOf(bytes), "m.bin: shared_classifier is 7, expected 0 or 1");
}

TEST(Llama2c, AFileOfAnotherSizeIsTruncatedOrAnother) {
  std::string bytes = makeFile(1, sizes(), kFloats * 4);
  ASSERT_TRUE(parse(bytes).ok());
  std::string size = std::to_string(bytes.size());
  EXPECT_EQ(errorOf(bytes.substr(0, bytes.size() - 1)),
            "m.bin: has " + std::to_string(bytes.size() - 1) +
                " bytes, a checkpoint of llama2.c of version 1 and these sizes has " + size + "; is it truncated?");
  EXPECT_EQ(errorOf(bytes + "x"), "m.bin: has " + std::to_string(bytes.size() + 1) +
                                      " bytes, a checkpoint of llama2.c of version 1 and these sizes has " + size);
  EXPECT_EQ(errorOf(bytes.substr(0, 100)),
            "m.bin: is a checkpoint of llama2.c with 100 bytes, its header has 256; is it truncated?");
  EXPECT_EQ(errorOf("short"), "m.bin: is no checkpoint of llama2.c: it has no header");
  EXPECT_EQ(errorOf(""), "m.bin: is no checkpoint of llama2.c: it has no header");
}

TEST(Llama2c, RecognisesFilesByTheirFirstBytes) {
  std::string old = makeFile(0, sizes(), (kFloats + kAngles) * 4), one = makeFile(1, sizes(), kFloats * 4);
  EXPECT_TRUE(isRecognised(old));
  EXPECT_TRUE(isRecognised(old.substr(0, old.size() / 2))) << "truncated, which File::open tells";
  EXPECT_FALSE(isRecognised(old.substr(0, 27)));
  EXPECT_TRUE(isRecognised(one));
  // What a model of ONNX begins with: a version and the name of a producer, also an empty one.
  EXPECT_FALSE(isRecognised(std::string("\b\t\x12\0\x1a\0", 6) + std::string(100, '\0')));
  EXPECT_FALSE(isRecognised(std::string(300, '\0')));
  EXPECT_FALSE(isRecognised("GGUF"));
  EXPECT_FALSE(isRecognised(""));
}

} // namespace
