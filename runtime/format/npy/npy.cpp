//===- npy.cpp - NumPy's .npy files ---------------------------------------===//
#include "runtime/format/npy/npy.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/output_file.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace ane::rt::npy {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
/// NumPy itself refuses headers above 10,000 bytes unless told otherwise.
constexpr uint64_t kMaxTextBytes = 10000;
constexpr size_t kMaxRank = 64; // of NumPy 2
constexpr uint64_t kAlignment = 64;

struct Descr {
  ElementType type;
  std::string_view code; // without byte order
};
constexpr std::array<Descr, 12> kDescrs = {{
    {ElementType::Bool, "b1"},
    {ElementType::Int8, "i1"},
    {ElementType::UInt8, "u1"},
    {ElementType::Int16, "i2"},
    {ElementType::UInt16, "u2"},
    {ElementType::Int32, "i4"},
    {ElementType::UInt32, "u4"},
    {ElementType::Int64, "i8"},
    {ElementType::UInt64, "u8"},
    {ElementType::Float16, "f2"},
    {ElementType::Float32, "f4"},
    {ElementType::Float64, "f8"},
}};

absl::StatusOr<ElementType> typeOf(std::string_view descr) {
  if (descr.size() == 3 && descr[0] == '>' && descr[2] != '1')
    return absl::InvalidArgumentError(absl::StrCat("element type '", std::string(descr),
                                                   "' is big-endian; save it with .astype(a.dtype.newbyteorder('<'))"));
  for (const Descr &known : kDescrs)
    if (descr.size() == 3 && descr.substr(1) == known.code &&
        std::string_view("<=|>").find(descr[0]) != std::string_view::npos)
      return known.type;
  return absl::InvalidArgumentError(absl::StrCat("element type '", std::string(descr.substr(0, 40)),
                                                 "' is not supported; supported are bool, (u)int8..64 and "
                                                 "float16, float32, float64"));
}

/// The header is a Python literal, `{'descr': '<f4', 'fortran_order': False,
/// 'shape': (2, 3), }`: three known keys in any order.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}
  std::string descr;
  std::optional<bool> fortranOrder;
  std::optional<std::vector<int64_t>> shape;

  bool run() {
    if (!accept('{'))
      return false;
    while (!accept('}')) {
      std::string key;
      if (!string(key) || !accept(':') || !field(key))
        return false;
      if (!accept(',')) {
        if (!accept('}'))
          return false;
        break;
      }
    }
    skip();
    return text.empty() && !descr.empty() && fortranOrder && shape;
  }

private:
  std::string_view text;

  void skip() {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\n'))
      text.remove_prefix(1);
  }
  bool accept(char c) {
    skip();
    if (text.empty() || text[0] != c)
      return false;
    text.remove_prefix(1);
    return true;
  }
  bool word(std::string_view expected) {
    skip();
    if (text.substr(0, expected.size()) != expected)
      return false;
    text.remove_prefix(expected.size());
    return true;
  }
  bool string(std::string &value) {
    skip();
    char quote = text.empty() ? '\0' : text[0];
    if (quote != '\'' && quote != '"')
      return false;
    size_t end = text.find(quote, 1);
    if (end == std::string_view::npos)
      return false;
    value = std::string(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
    return value.find('\\') == std::string::npos;
  }
  bool field(const std::string &key) {
    if (key == "descr" && descr.empty())
      return string(descr);
    if (key == "fortran_order" && !fortranOrder) {
      fortranOrder = word("True");
      return *fortranOrder || word("False");
    }
    return key == "shape" && !shape && tuple(shape.emplace());
  }
  bool tuple(std::vector<int64_t> &values) {
    if (!accept('('))
      return false;
    while (!accept(')')) {
      skip();
      size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
      int64_t value = 0;
      if (!absl::SimpleAtoi(absl::string_view(text.data(), digits), &value) || values.size() == kMaxRank)
        return false;
      values.push_back(value);
      text.remove_prefix(digits);
      word("L"); // Python 2 wrote long integers so
      if (!accept(','))
        return accept(')');
    }
    return true;
  }
};

/// Bytes of an array; nullopt when they do not fit in int64.
std::optional<int64_t> byteCount(ElementType type, const std::vector<int64_t> &shape) {
  int64_t bytes = byteWidth(type);
  bool empty = false;
  for (int64_t dim : shape) {
    empty |= dim == 0;
    if (dim > 1 && bytes > std::numeric_limits<int64_t>::max() / dim)
      return std::nullopt;
    bytes *= dim > 1 ? dim : 1;
  }
  return empty ? 0 : bytes;
}

std::string shapeText(const std::vector<int64_t> &shape) { return absl::StrCat("[", absl::StrJoin(shape, ", "), "]"); }

uint64_t loadLittle(const uint8_t *data, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i)
    value |= uint64_t(data[i]) << (8 * i);
  return value;
}

} // namespace

int64_t Array::elements() const {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

std::string Array::describe() const { return absl::StrCat(std::string(numpyName(type)), shapeText(shape)); }

absl::StatusOr<Header> parseHeader(const uint8_t *data, uint64_t present, uint64_t size, const std::string &name) {
  auto error = [&](const auto &...parts) { return absl::InvalidArgumentError(absl::StrCat(name, ": ", parts...)); };
  if (present < 10 || std::memcmp(data, kMagic.data(), kMagic.size()) != 0)
    return error("not a .npy file");
  unsigned major = data[6];
  if (major < 1 || major > 3)
    return error(".npy version ", major,
                 " is not supported; supported are 1 "
                 "to 3");
  unsigned lengthBytes = major == 1 ? 2 : 4;
  uint64_t start = 8 + lengthBytes;
  if (present < start)
    return error("file ends inside the header");
  uint64_t headerBytes = loadLittle(data + 8, lengthBytes);
  if (headerBytes > kMaxTextBytes)
    return error("header of ", headerBytes, " bytes, limit ", kMaxTextBytes);
  if (headerBytes > present - start)
    return error("file ends inside the header");
  HeaderParser header({reinterpret_cast<const char *>(data) + start, headerBytes});
  if (!header.run())
    return error("malformed header; expected {'descr': '<f4', "
                 "'fortran_order': False, 'shape': (..), }");
  absl::StatusOr<ElementType> type = typeOf(header.descr);
  if (!type.ok())
    return error(type.status().message());
  if (*header.fortranOrder && header.shape->size() > 1)
    return error("array is in Fortran order; save numpy.ascontiguousarray(a)");
  std::optional<int64_t> bytes = byteCount(*type, *header.shape);
  uint64_t rest = size - start - headerBytes;
  if (!bytes || static_cast<uint64_t>(*bytes) != rest)
    return error(Array{*type, *header.shape, {}}.describe(), " takes ", bytes ? absl::StrCat(*bytes) : "more than 2^63",
                 " bytes, the file has ", rest);
  return Header{*type, *std::move(header.shape), start + headerBytes, rest};
}

void normalizeBools(uint8_t *elements, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    elements[i] = elements[i] != 0;
}

absl::StatusOr<Array> parse(const uint8_t *data, uint64_t size, const std::string &name) {
  absl::StatusOr<Header> header = parseHeader(data, size, size, name);
  if (!header.ok())
    return header.status();
  Array array{header->type, std::move(header->shape), {}};
  array.data.assign(data + header->bytes, data + size);
  if (array.type == ElementType::Bool)
    normalizeBools(array.data.data(), array.data.size());
  return array;
}

absl::StatusOr<Array> read(const std::string &path) {
  absl::StatusOr<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return file.status();
  return parse(file->data(), file->size(), path);
}

absl::Status write(const std::string &path, ElementType type, const std::vector<int64_t> &shape, const void *data) {
  std::string_view code;
  for (const Descr &known : kDescrs)
    if (known.type == type)
      code = known.code;
  std::optional<int64_t> bytes = byteCount(type, shape);
  if (code.empty() || !bytes)
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": NumPy has no array ", std::string(milName(type)), shapeText(shape)));
  std::string header = absl::StrCat("{'descr': '", byteWidth(type) == 1 ? "|" : "<", std::string(code),
                                    "', 'fortran_order': False, 'shape': (", absl::StrJoin(shape, ", "),
                                    shape.size() == 1 ? ",), }" : "), }");
  uint64_t used = kMagic.size() + 4 + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';
  if (header.size() > std::numeric_limits<uint16_t>::max())
    return absl::InvalidArgumentError(path + ": too many dimensions");
  std::string prefix(kMagic);
  prefix += {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  prefix += header;
  absl::StatusOr<OutputFile> file = OutputFile::create(path);
  if (!file.ok())
    return file.status();
  if (absl::Status status = file->write(prefix.data(), prefix.size()); !status.ok())
    return status;
  if (absl::Status status = file->write(data, static_cast<uint64_t>(*bytes)); !status.ok())
    return status;
  return file->commit();
}

absl::Status expect(const Array &array, ElementType type, const std::vector<int64_t> &shape,
                    const std::string &subject) {
  if (array.type == type && array.shape == shape)
    return absl::OkStatus();
  Array wanted{type, shape, {}};
  return absl::InvalidArgumentError(absl::StrCat(subject, " is ", array.describe(), ", expected ", wanted.describe()));
}

} // namespace ane::rt::npy
