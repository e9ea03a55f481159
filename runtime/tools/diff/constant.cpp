//===- constant.cpp - Constants of programs, by value ---------------------===//
#include "runtime/tools/diff/constant.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/format/mil/program_desc.h"
#include "runtime/support/floats.h"
#include "runtime/support/half.h"
#include "runtime/support/quote.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ane::rt::mildiff {
namespace {

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

template <typename T>
void append(std::vector<uint8_t> &bytes, T value) {
  const auto *from = reinterpret_cast<const uint8_t *>(&value);
  bytes.insert(bytes.end(), from, from + sizeof(T));
}

template <typename T>
double load(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return static_cast<double>(value);
}

uint16_t toBFloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return static_cast<uint16_t>(std::isnan(value) ? (bits >> 16) | 0x40 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

void appendFloat(std::vector<uint8_t> &bytes, ElementType type, double value) {
  if (type == ElementType::Float16)
    append(bytes, floatToHalf(static_cast<float>(value)));
  else if (type == ElementType::BFloat16)
    append(bytes, toBFloat16(static_cast<float>(value)));
  else if (type == ElementType::Float32)
    append(bytes, static_cast<float>(value));
  else
    append(bytes, value);
}

/// Whole elements of an integer type, least significant byte first.
void appendInteger(std::vector<uint8_t> &bytes, ElementType type, int64_t value) {
  for (int64_t i = 0; i < byteWidth(type); ++i)
    bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
}

/// All floats as fp16, so that those of several types can be equal.
void narrow(Constant &constant) {
  std::vector<uint8_t> bytes;
  bytes.reserve(constant.elements * 2);
  for (uint64_t i = 0; i < constant.elements; ++i)
    appendFloat(bytes, ElementType::Float16, elementOf(constant, i));
  constant.owned = std::move(bytes);
  constant.data = constant.owned.data();
  constant.bytes = constant.owned.size();
  constant.type.dtype = ElementType::Float16;
}

/// The bits behind the last element belong to nobody.
void clearPadding(Constant &constant) {
  const uint64_t bits = constant.elements * static_cast<uint64_t>(bitWidth(constant.type.dtype)) % 8;
  if (bits == 0 || constant.bytes == 0 || constant.data[constant.bytes - 1] >> bits == 0)
    return;
  constant.owned.assign(constant.data, constant.data + constant.bytes);
  constant.owned.back() &= static_cast<uint8_t>((1 << bits) - 1);
  constant.data = constant.owned.data();
}

} // namespace

std::string typeKey(const mil::Type &type, bool anyFloat) {
  if (type.kind == mil::Type::Kind::Scalar || type.kind == mil::Type::Kind::Tensor) {
    std::string name(anyFloat && isFloat(type.dtype) ? "float" : milName(type.dtype));
    return type.dims.empty() ? name : absl::StrCat(name, "[", absl::StrJoin(type.dims, ","), "]");
  }
  std::string key = absl::StrCat(static_cast<int>(type.kind), "<");
  for (const mil::Type &param : type.params)
    absl::StrAppend(&key, typeKey(param, anyFloat), ";");
  return absl::StrCat(key, absl::StrJoin(type.dims, ","), ">");
}

double elementOf(const Constant &constant, uint64_t index) {
  const uint8_t *at = constant.data + index * static_cast<uint64_t>(bitWidth(constant.type.dtype)) / 8;
  switch (constant.type.dtype) {
  case ElementType::Bool:
  case ElementType::UInt8:
    return load<uint8_t>(at);
  case ElementType::Int8:
    return load<int8_t>(at);
  case ElementType::Int16:
    return load<int16_t>(at);
  case ElementType::UInt16:
    return load<uint16_t>(at);
  case ElementType::Int32:
    return load<int32_t>(at);
  case ElementType::UInt32:
    return load<uint32_t>(at);
  case ElementType::Int64:
    return load<int64_t>(at);
  case ElementType::UInt64:
    return load<uint64_t>(at);
  case ElementType::Float16:
  case ElementType::BFloat16:
  case ElementType::Float32: {
    const uint64_t width = static_cast<uint64_t>(byteWidth(constant.type.dtype));
    uint16_t half;
    std::memcpy(&half, at, 2);
    return width == 4                                    ? load<float>(at)
           : constant.type.dtype == ElementType::Float16 ? halfToFloat(half)
                                                         : bfloat16ToFloat(half);
  }
  case ElementType::Float64:
    return load<double>(at);
  case ElementType::String:
    return 0;
  case ElementType::Int4:
  case ElementType::UInt1:
  case ElementType::UInt2:
  case ElementType::UInt3:
  case ElementType::UInt4:
  case ElementType::UInt6:
    break;
  }
  const uint64_t width = static_cast<uint64_t>(bitWidth(constant.type.dtype));
  uint64_t value = 0;
  for (uint64_t bit = 0; bit < width; ++bit)
    value |= uint64_t(constant.data[(index * width + bit) / 8] >> ((index * width + bit) % 8) & 1) << bit;
  const bool negative = constant.type.dtype == ElementType::Int4 && value >= 8;
  return static_cast<double>(value) - (negative ? 16 : 0);
}

ValueDifference compareValues(const Constant &a, const Constant &b) {
  ValueDifference result;
  result.elements = a.elements;
  const uint64_t width = static_cast<uint64_t>(bitWidth(a.type.dtype));
  if (width == 0) {
    result.differing = a.bytes != b.bytes || std::memcmp(a.data, b.data, a.bytes) != 0;
    return result;
  }
  constexpr uint64_t kBlock = 4096; // elements; most of a large weight is equal
  uint64_t place = 0;
  for (uint64_t begin = 0; begin < a.elements; begin += kBlock) {
    const uint64_t end = std::min(begin + kBlock, a.elements), from = begin * width / 8, to = (end * width + 7) / 8;
    if (std::memcmp(a.data + from, b.data + from, to - from) == 0)
      continue;
    for (uint64_t i = begin; i < end; ++i) {
      const double x = elementOf(a, i), y = elementOf(b, i);
      const bool same = (x == y && std::signbit(x) == std::signbit(y)) || (std::isnan(x) && std::isnan(y));
      if (same)
        continue;
      const double apart = x == y ? 0 : std::fabs(x - y);
      const double difference = std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
      if (result.differing++ == 0 || difference > result.largest) {
        result.largest = difference;
        result.a = x;
        result.b = y;
        place = i;
      }
    }
  }
  result.place.resize(a.type.dims.size());
  for (size_t i = result.place.size(); i-- > 0;) {
    const auto size = std::max<uint64_t>(static_cast<uint64_t>(a.type.dims[i]), 1);
    result.place[i] = static_cast<int64_t>(place % size);
    place /= size;
  }
  return result;
}

absl::StatusOr<const blob::Reader *> ConstantReader::file(const std::string &name) {
  auto known = files.find(name);
  if (known != files.end())
    return &known->second;
  std::optional<std::string_view> path = weightPath(name);
  if (!path)
    return wrong("weight file ", quote(name), ": a path begins with @model_path/");
  if (!folder)
    return wrong("weight file ", quote(name), ": there is no folder for @model_path");
  absl::StatusOr<MappedFile> mapped = folder->map(*path);
  if (!mapped.ok())
    return mapped.status();
  absl::StatusOr<blob::Reader> reader = blob::Reader::of(*std::move(mapped), folder->nameOf(*path));
  if (!reader.ok())
    return reader.status();
  return &files.emplace(name, *std::move(reader)).first->second;
}

absl::Status ConstantReader::readBlob(const mil::Value &value, Constant &constant) {
  constant.file = std::string(weightPath(value.path).value_or(value.path));
  constant.offset = value.offset;
  constant.isWeight = true;
  if (tolerance.weights)
    return absl::OkStatus();
  absl::StatusOr<const blob::Reader *> reader = file(value.path);
  if (!reader.ok())
    return reader.status();
  absl::StatusOr<blob::Blob> blob = (*reader)->readAs(value.offset, value.type.dtype, constant.elements, found);
  if (!blob.ok())
    return blob.status();
  constant.data = blob->data;
  constant.bytes = blob->bytes;
  return absl::OkStatus();
}

absl::Status ConstantReader::readLiteral(const mil::Value &value, Constant &constant) {
  const ElementType type = constant.type.dtype;
  const bool asFloat = isFloat(type), asText = type == ElementType::String;
  const uint64_t given = asText ? value.strings.size() : asFloat ? value.floats.size() : value.ints.size();
  if (given != constant.elements)
    return wrong("type ", value.type.str(), " has ", constant.elements, " elements, its literal has ", given);
  if (asText) {
    for (const std::string &text : value.strings) {
      append(constant.owned, static_cast<uint64_t>(text.size()));
      constant.owned.insert(constant.owned.end(), text.begin(), text.end());
    }
  } else if (asFloat) {
    for (double number : value.floats)
      appendFloat(constant.owned, type, number);
  } else if (bitWidth(type) < 8) {
    constant.owned = blob::pack(type, {value.ints.begin(), value.ints.end()});
  } else {
    for (int64_t number : value.ints)
      appendInteger(constant.owned, type, number);
  }
  constant.data = constant.owned.data();
  constant.bytes = constant.owned.size();
  constant.isWeight = !constant.type.dims.empty() && !asText && type != ElementType::Int32 && type != ElementType::Bool;
  return absl::OkStatus();
}

absl::StatusOr<Constant> ConstantReader::read(const mil::Value &value, ElementType bareFloat) {
  Constant constant;
  constant.type = value.type;
  constant.written = &value;
  if (!value.typed && value.isElements() && isFloat(value.type.dtype))
    constant.type.dtype = bareFloat;
  // A list says how many elements it has as a vector does.
  if (value.type.kind == mil::Type::Kind::List && value.type.params.size() == 1)
    constant.type = mil::Type::tensor(value.type.params[0].dtype, value.type.dims);
  std::optional<int64_t> elements = constant.type.numElements();
  if (!constant.type.isScalar() && !constant.type.isTensor())
    return wrong("a constant of type ", value.type.str(), " can't be compared");
  if (!elements || *elements < 0)
    return wrong("a constant of type ", value.type.str(), " has no known number of elements");
  constant.elements = static_cast<uint64_t>(*elements);
  const bool isBlob = value.kind == mil::Value::Kind::Blob;
  if (absl::Status status = isBlob ? readBlob(value, constant) : readLiteral(value, constant); !status.ok())
    return status;
  if (constant.data && bitWidth(constant.type.dtype) < 8 && constant.type.dtype != ElementType::String)
    clearPadding(constant);
  if (tolerance.types && isFloat(constant.type.dtype) && constant.data)
    narrow(constant);
  return constant;
}

} // namespace ane::rt::mildiff
