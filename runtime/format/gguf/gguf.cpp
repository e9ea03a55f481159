//===- gguf.cpp - Model files of llama.cpp --------------------------------===//
#include "runtime/format/gguf/gguf.h"
#include "runtime/support/quote.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cstring>
#include <limits>

namespace ane::rt::gguf {
namespace {

/// Of the format: GGML_MAX_DIMS, and its limit on names (64 with the final 0;
/// more are written in practice).
constexpr uint32_t kMaxRank = 4;
constexpr uint64_t kMaxName = 1 << 10;
constexpr uint64_t kDefaultAlignment = 32;

/// Types of metadata, by their numbers in the file.
enum class Kind : uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, Text, List, U64, I64, F64 };
constexpr uint32_t kKinds = 13;

/// Bytes of the file that one value takes at least.
uint64_t leastBytes(Kind kind) {
  switch (kind) {
  case Kind::U8:
  case Kind::I8:
  case Kind::Bool:
    return 1;
  case Kind::U16:
  case Kind::I16:
    return 2;
  case Kind::U32:
  case Kind::I32:
  case Kind::F32:
    return 4;
  default:
    return 8;
  }
}

} // namespace

std::string_view Value::kind() const {
  constexpr std::string_view names[] = {"bool",           "integer",       "integer",          "number",
                                        "string",         "list of bools", "list of integers", "list of numbers",
                                        "list of strings"};
  return names[held.index()];
}

int64_t Tensor::elements() const {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

std::string Tensor::describe() const {
  return absl::StrCat(absl::string_view(block.name.data(), block.name.size()), "[", absl::StrJoin(shape, ", "), "]");
}

/// The first error wins; what is read behind it are zeros.
class Parser {
public:
  Parser(const uint8_t *data, uint64_t size, const std::string &name) : data(data), size(size), name(name) {}
  absl::StatusOr<File> run();

private:
  const uint8_t *data;
  uint64_t size, at = 0;
  const std::string &name;
  std::string field;      ///< that is read, for messages
  bool isPlacing = false; ///< all is read
  absl::Status status;
  File file;

  void fail(const std::string &what) {
    if (status.ok())
      status = absl::InvalidArgumentError(
          absl::StrCat(name, ": ", field, isPlacing ? "" : absl::StrCat(" (at byte ", at, ")"), ": ", what));
  }
  /// Whether `count` more units of `bytes` are there.
  bool has(uint64_t count, uint64_t bytes) {
    if (status.ok() && count > (size - at) / bytes)
      fail(absl::StrCat(count, bytes == 1 ? " bytes" : " entries", " are announced, the file has ", size - at,
                        " bytes left; is it truncated?"));
    return status.ok();
  }
  template <typename T>
  T number() {
    T value = 0;
    if (has(1, sizeof value)) {
      std::memcpy(&value, data + at, sizeof value);
      at += sizeof value;
    }
    return value;
  }
  std::string_view text(uint64_t limit) {
    auto length = number<uint64_t>();
    if (length > limit)
      fail(absl::StrCat("a string of ", length, " bytes, limit ", limit));
    if (!has(length, 1))
      return {};
    std::string_view view(reinterpret_cast<const char *>(data + at), length);
    at += length;
    return view;
  }
  Value single(Kind kind);
  Value list();
  void readMetadata(uint64_t count);
  uint64_t alignment();
  void readTensor(Tensor &tensor, uint64_t &offset);
  void placeTensors(const std::vector<uint64_t> &offsets);
};

Value Parser::single(Kind kind) {
  auto integer = [](auto value) { return Value{static_cast<int64_t>(value)}; };
  switch (kind) {
  case Kind::U8:
    return integer(number<uint8_t>());
  case Kind::I8:
    return integer(number<int8_t>());
  case Kind::U16:
    return integer(number<uint16_t>());
  case Kind::I16:
    return integer(number<int16_t>());
  case Kind::U32:
    return integer(number<uint32_t>());
  case Kind::I32:
    return integer(number<int32_t>());
  case Kind::I64:
    return integer(number<int64_t>());
  case Kind::U64: {
    auto value = number<uint64_t>();
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return Value{value};
    return integer(value);
  }
  case Kind::F32:
    return Value{static_cast<double>(number<float>())};
  case Kind::F64:
    return Value{number<double>()};
  case Kind::Bool: {
    auto value = number<uint8_t>();
    if (value > 1)
      fail(absl::StrCat("a bool is ", value, ", expected 0 or 1"));
    return Value{value == 1};
  }
  case Kind::Text:
    return Value{text(size)};
  case Kind::List:
    break;
  }
  return list();
}

Value Parser::list() {
  auto kind = number<uint32_t>();
  auto count = number<uint64_t>();
  if (kind >= kKinds || static_cast<Kind>(kind) == Kind::List) {
    fail(kind >= kKinds ? absl::StrCat("a list of type ", kind, "; known are 0 to ", kKinds - 1)
                        : "a list of lists, which no model has");
    return Value{};
  }
  auto element = static_cast<Kind>(kind);
  if (!has(count, leastBytes(element)))
    return Value{};
  auto fill = [&](auto values, auto read) {
    values.reserve(count);
    for (uint64_t i = 0; i < count && status.ok(); ++i)
      values.push_back(read());
    return Value{std::move(values)};
  };
  switch (element) {
  case Kind::Bool:
    return fill(std::vector<bool>(), [&] { return *single(element).as<bool>(); });
  case Kind::Text:
    return fill(Value::Texts(), [&] { return text(size); });
  case Kind::F32:
    return fill(Value::Numbers(), [&] { return static_cast<double>(number<float>()); });
  case Kind::F64:
    return fill(Value::Numbers(), [&] { return number<double>(); });
  default:
    return fill(Value::Integers(), [&] {
      Value value = single(element);
      if (!value.as<int64_t>())
        fail("a list holds an integer above the largest of 64 bits with a sign");
      return value.as<int64_t>() ? *value.as<int64_t>() : 0;
    });
  }
}

void Parser::readMetadata(uint64_t count) {
  field = "metadata";
  // A key's length, a type and a value.
  if (!has(count, 8 + 4 + 1))
    return;
  file.values.reserve(count);
  for (uint64_t i = 0; i < count && status.ok(); ++i) {
    field = absl::StrCat("metadata ", i);
    uint64_t begin = at;
    std::string_view key = text(kMaxName);
    field = absl::StrCat("metadata ", quote(key));
    auto kind = number<uint32_t>();
    if (kind >= kKinds)
      fail(absl::StrCat("type ", kind, "; known are 0 to ", kKinds - 1));
    if (!status.ok())
      return;
    file.values.emplace_back(key, single(static_cast<Kind>(kind)));
    file.valueBytes.emplace_back(reinterpret_cast<const char *>(data + begin), at - begin);
    if (!file.valueIndex.emplace(key, i).second)
      fail("a second value of this name");
  }
}

uint64_t Parser::alignment() {
  const Value *given = file.value("general.alignment");
  if (!given)
    return kDefaultAlignment;
  field = "metadata \"general.alignment\"";
  const int64_t *value = given->as<int64_t>();
  if (!value || *value < 1 || *value > 1 << 20 || (*value & (*value - 1)) != 0) {
    fail(value ? absl::StrCat("is ", *value, ", expected a power of two up to 2^20") : "is no integer");
    return kDefaultAlignment;
  }
  return static_cast<uint64_t>(*value);
}

void Parser::readTensor(Tensor &tensor, uint64_t &offset) {
  tensor.name = text(kMaxName);
  field = absl::StrCat("tensor ", quote(tensor.name));
  auto rank = number<uint32_t>();
  if (rank > kMaxRank)
    fail(absl::StrCat("has ", rank, " axes, limit ", kMaxRank));
  if (!status.ok())
    return;
  uint64_t elements = 1;
  for (uint32_t i = 0; i < rank && status.ok(); ++i) {
    auto dim = number<uint64_t>();
    if (dim == 0 || dim > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / elements)
      fail(absl::StrCat("axis ", i, " is ", dim, "; sizes are 1 or more, and their product is below 2^63"));
    else
      elements *= dim;
    tensor.shape.insert(tensor.shape.begin(), static_cast<int64_t>(dim));
  }
  auto type = number<uint32_t>();
  offset = number<uint64_t>();
  if (!status.ok())
    return;
  std::optional<BlockInfo> block = blockInfo(type);
  if (!block)
    return fail(absl::StrCat("has type ", typeName(type),
                             ", which is not supported; supported are F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, "
                             "Q2_K to Q6_K, IQ4_NL and IQ4_XS"));
  tensor.block = *block;
  int64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
  if (row % block->elements != 0)
    return fail(absl::StrCat("rows of ", row, " elements are no blocks of ", block->elements));
  auto blocks = elements / static_cast<uint64_t>(block->elements);
  if (blocks > std::numeric_limits<uint64_t>::max() / static_cast<uint64_t>(block->bytes))
    return fail(absl::StrCat(elements, " elements are more than a file can hold"));
  tensor.bytes = blocks * static_cast<uint64_t>(block->bytes);
}

void Parser::placeTensors(const std::vector<uint64_t> &offsets) {
  uint64_t unit = alignment();
  field = "tensor data";
  uint64_t begin = (at + unit - 1) / unit * unit;
  isPlacing = true;
  if (begin > size && !file.records.empty())
    return fail("the file ends before it; is it truncated?");
  for (size_t i = 0; i < offsets.size() && status.ok(); ++i) {
    Tensor &tensor = file.records[i];
    field = absl::StrCat("tensor ", quote(tensor.name));
    if (offsets[i] % unit != 0)
      return fail(absl::StrCat("begins at ", offsets[i], " of the data, which is no multiple of ", unit));
    if (offsets[i] > size - begin || tensor.bytes > size - begin - offsets[i])
      return fail(absl::StrCat(tensor.describe(), " has ", tensor.bytes, " bytes at ", offsets[i],
                               " of the data, which has ", size - begin, "; is the file truncated?"));
    tensor.offset = begin + offsets[i];
    tensor.data = data + tensor.offset;
  }
}

absl::StatusOr<File> Parser::run() {
  field = "magic";
  if (size < 4 || std::memcmp(data, "GGUF", 4) != 0)
    return absl::InvalidArgumentError(absl::StrCat(name, ": is no GGUF file: its first bytes are not 'GGUF'"));
  at = 4;
  field = "version";
  file.formatVersion = number<uint32_t>();
  if (file.formatVersion == 2u << 24 || file.formatVersion == 3u << 24)
    fail("the file is big-endian, which is not supported; convert it with gguf_convert_endian.py of llama.cpp");
  else if (file.formatVersion != 2 && file.formatVersion != 3)
    fail(absl::StrCat("is ", file.formatVersion,
                      "; versions 2 and 3 are known; remedy: make the file again with "
                      "convert_hf_to_gguf.py of llama.cpp, which writes version 3"));
  field = "number of tensors";
  auto tensors = number<uint64_t>();
  field = "number of metadata values";
  auto values = number<uint64_t>();
  readMetadata(values);
  field = "tensors";
  // The length of a name, a rank, a type and an offset.
  std::vector<uint64_t> offsets;
  if (has(tensors, 8 + 4 + 4 + 8)) {
    file.records.resize(tensors);
    offsets.resize(tensors);
  }
  for (uint64_t i = 0; i < tensors && status.ok(); ++i) {
    field = absl::StrCat("tensor ", i);
    readTensor(file.records[i], offsets[i]);
    if (status.ok() && !file.tensorIndex.emplace(file.records[i].name, i).second)
      fail("a second tensor of this name");
  }
  if (status.ok())
    placeTensors(offsets);
  if (!status.ok())
    return status;
  return std::move(file);
}

absl::StatusOr<File> File::parse(const uint8_t *data, uint64_t size, const std::string &name) {
  return Parser(data, size, name).run();
}

absl::StatusOr<File> File::open(const std::string &path) {
  absl::StatusOr<MappedFile> mapping = MappedFile::open(path);
  if (!mapping.ok())
    return mapping.status();
  absl::StatusOr<File> file = parse(mapping->data(), mapping->size(), path);
  if (file.ok())
    file->mapping = *std::move(mapping);
  return file;
}

const Value *File::value(std::string_view key) const {
  auto found = valueIndex.find(key);
  return found == valueIndex.end() ? nullptr : &values[found->second].second;
}

const Tensor *File::tensor(std::string_view name) const {
  auto found = tensorIndex.find(name);
  return found == tensorIndex.end() ? nullptr : &records[found->second];
}

} // namespace ane::rt::gguf
