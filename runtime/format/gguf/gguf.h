//===- gguf.h - Model files of llama.cpp ------------------------*- C++ -*-===//
//
// Metadata (names and values) and tensors, in one mapped file: GGUF versions 2
// and 3, little-endian. Source of the format: docs/gguf.md of ggml.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_GGUF_GGUF_H
#define ANE_RUNTIME_FORMAT_GGUF_GGUF_H

#include "absl/status/statusor.h"
#include "runtime/format/gguf/blocks.h"
#include "runtime/support/mapped_file.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace ane::rt::gguf {

/// A value of the metadata: integers of all widths as int64, unless they are
/// above its largest value; lists of one kind. Text is a view of the file.
struct Value {
  using Integers = std::vector<int64_t>;
  using Numbers = std::vector<double>;
  using Texts = std::vector<std::string_view>;
  std::variant<bool, int64_t, uint64_t, double, std::string_view, std::vector<bool>, Integers, Numbers, Texts> held;

  /// Null if the value is of another kind.
  template <typename T>
  const T *as() const {
    return std::get_if<T>(&held);
  }
  /// "integer", "list of strings", ...: for messages.
  std::string_view kind() const;
};

struct Tensor {
  std::string_view name;
  std::vector<int64_t> shape; ///< outermost first; the file has it the other way round
  BlockInfo block;
  const uint8_t *data; ///< row-major, blocks along the innermost axis
  uint64_t bytes;
  uint64_t offset; ///< of the data in the file

  int64_t elements() const;
  /// "Q4_K[576, 1536]", for messages.
  std::string describe() const;
};

/// What a file holds; it lives as long as the memory that was parsed.
class File {
public:
  /// Errors name the file, the field with its place, and what is wrong with it.
  /// A tensor of a type that blocks.h lacks is one. Memory is bounded by a small
  /// multiple of the file's size.
  static absl::StatusOr<File> parse(const uint8_t *data, uint64_t size, const std::string &name);
  /// Maps the file and keeps it mapped.
  static absl::StatusOr<File> open(const std::string &path);

  uint32_t version() const { return formatVersion; }
  /// In the order of the file.
  const std::vector<std::pair<std::string_view, Value>> &metadata() const { return values; }
  /// Name, type and value number `index`, as the file has them.
  std::string_view metadataBytes(size_t index) const { return valueBytes[index]; }
  const std::vector<Tensor> &tensors() const { return records; }
  /// Null if there is none.
  const Value *value(std::string_view key) const;
  const Tensor *tensor(std::string_view name) const;

private:
  friend class Parser;
  uint32_t formatVersion = 0;
  std::vector<std::pair<std::string_view, Value>> values;
  std::vector<std::string_view> valueBytes; ///< of each value
  std::vector<Tensor> records;
  std::unordered_map<std::string_view, size_t> valueIndex, tensorIndex;
  MappedFile mapping;
};

} // namespace ane::rt::gguf

#endif // ANE_RUNTIME_FORMAT_GGUF_GGUF_H
