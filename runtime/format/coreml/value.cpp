//===- value.cpp - types and values of MIL, both ways ---------------------===//

#include "absl/strings/str_cat.h"
#include "runtime/format/coreml/program.h"
#include "runtime/support/half.h"
#include "runtime/support/quote.h"

#include <cstring>

using namespace ane::rt;
using namespace ane::rt::coreml;
using mil::Type;
using mil::Value;

namespace {

/// Real values nest once or twice; protobuf itself stops at 100 messages.
constexpr int kMaxDepth = 16;
constexpr int64_t kMaxRank = 16;

struct DataType {
  ElementType type;
  proto::DataType number;
};
constexpr DataType kTypes[] = {
    {ElementType::Bool, proto::BOOL},       {ElementType::String, proto::STRING},
    {ElementType::Float16, proto::FLOAT16}, {ElementType::Float32, proto::FLOAT32},
    {ElementType::Float64, proto::FLOAT64}, {ElementType::BFloat16, proto::BFLOAT16},
    {ElementType::Int4, proto::INT4},       {ElementType::Int8, proto::INT8},
    {ElementType::Int16, proto::INT16},     {ElementType::Int32, proto::INT32},
    {ElementType::Int64, proto::INT64},     {ElementType::UInt1, proto::UINT1},
    {ElementType::UInt2, proto::UINT2},     {ElementType::UInt3, proto::UINT3},
    {ElementType::UInt4, proto::UINT4},     {ElementType::UInt6, proto::UINT6},
    {ElementType::UInt8, proto::UINT8},     {ElementType::UInt16, proto::UINT16},
    {ElementType::UInt32, proto::UINT32},   {ElementType::UInt64, proto::UINT64},
};

absl::Status wrong(const std::string &what) { return absl::InvalidArgumentError(what); }

absl::StatusOr<ElementType> elementType(proto::DataType number) {
  for (const DataType &known : kTypes)
    if (known.number == number)
      return known.type;
  return wrong(absl::StrCat("the data type has number ", static_cast<int>(number), ", which is no type that is known"));
}

absl::StatusOr<int64_t> extentOf(const proto::Dimension &dimension) {
  if (dimension.has_unknown())
    return mil::kUnknownDim;
  uint64_t size = dimension.constant().size();
  if (size > uint64_t(INT64_MAX))
    return wrong(absl::StrCat("a dimension is ", size, ", above 2^63-1"));
  return static_cast<int64_t>(size);
}

absl::StatusOr<Type> typeFrom(const proto::ValueType &type, int depth) {
  if (depth > kMaxDepth)
    return wrong(absl::StrCat("a type nests more than ", kMaxDepth, " deep"));
  Type result;
  auto add = [&](const proto::ValueType &inner) -> absl::Status {
    absl::StatusOr<Type> read = typeFrom(inner, depth + 1);
    if (read.ok())
      result.params.push_back(std::move(*read));
    return read.status();
  };
  switch (type.type_case()) {
  case proto::ValueType::kTensorType: {
    const proto::TensorType &tensor = type.tensortype();
    absl::StatusOr<ElementType> dtype = elementType(tensor.datatype());
    if (!dtype.ok())
      return dtype.status();
    if (tensor.rank() < 0 || tensor.rank() > kMaxRank || tensor.rank() != tensor.dimensions_size())
      return wrong(absl::StrCat("a tensor says rank ", tensor.rank(), " and has ", tensor.dimensions_size(),
                                " dimensions; both are the same, 0 to ", kMaxRank));
    result = Type::tensor(*dtype, {});
    for (const proto::Dimension &dimension : tensor.dimensions()) {
      absl::StatusOr<int64_t> extent = extentOf(dimension);
      if (!extent.ok())
        return extent.status();
      result.dims.push_back(*extent);
    }
    return result;
  }
  case proto::ValueType::kListType: {
    result.kind = Type::Kind::List;
    absl::StatusOr<int64_t> length = extentOf(type.listtype().length());
    if (!length.ok())
      return length.status();
    result.dims = {*length};
    if (absl::Status status = add(type.listtype().type()); !status.ok())
      return status;
    return result;
  }
  case proto::ValueType::kTupleType:
    result.kind = Type::Kind::Tuple;
    for (const proto::ValueType &inner : type.tupletype().types())
      if (absl::Status status = add(inner); !status.ok())
        return status;
    return result;
  case proto::ValueType::kDictionaryType:
    result.kind = Type::Kind::Dict;
    for (const proto::ValueType *inner : {&type.dictionarytype().keytype(), &type.dictionarytype().valuetype()})
      if (absl::Status status = add(*inner); !status.ok())
        return status;
    return result;
  case proto::ValueType::kStateType:
    result.kind = Type::Kind::State;
    if (absl::Status status = add(type.statetype().wrappedtype()); !status.ok())
      return status;
    return result;
  case proto::ValueType::TYPE_NOT_SET:
    break;
  }
  return wrong("a type is missing");
}

/// Integers, bools and floats of less than 32 bits lie as their bytes; those of less than 8 are packed, the first in
/// the lowest bits (coreml-mlprogram.md 1.4, 2).
absl::Status unpack(const std::string &bytes, int64_t count, Value &value) {
  const int64_t bits = bitWidth(value.type.dtype);
  if (count > INT64_MAX / 64 || int64_t(bytes.size()) != (count * bits + 7) / 8)
    return wrong(absl::StrCat("a value of type ", value.type.str(), " has ", bytes.size(), " bytes"));
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  if (value.type.dtype == ElementType::Float16) {
    for (int64_t i = 0; i < count; ++i)
      value.floats.push_back(halfToFloat(static_cast<uint16_t>(data[2 * i] | data[2 * i + 1] << 8)));
    return absl::OkStatus();
  }
  if (isFloat(value.type.dtype))
    return wrong(absl::StrCat("a value of type ", value.type.str(), " is bytes"));
  const bool isSigned = value.type.dtype == ElementType::Int4 || value.type.dtype == ElementType::Int8 ||
                        value.type.dtype == ElementType::Int16 || value.type.dtype == ElementType::Int32 ||
                        value.type.dtype == ElementType::Int64;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t raw = 0;
    for (int64_t bit = 0; bit < bits; ++bit) {
      int64_t at = i * bits + bit;
      raw |= uint64_t(data[at / 8] >> (at % 8) & 1) << bit;
    }
    if (isSigned && bits < 64 && raw >> (bits - 1))
      raw |= ~uint64_t(0) << bits;
    value.ints.push_back(static_cast<int64_t>(raw));
  }
  return absl::OkStatus();
}

/// The reverse.
std::string pack(const Value &value) {
  const int64_t bits = bitWidth(value.type.dtype);
  const size_t count = isFloat(value.type.dtype) ? value.floats.size() : value.ints.size();
  std::string bytes((count * bits + 7) / 8, '\0');
  for (size_t i = 0; i < count; ++i) {
    uint64_t raw =
        isFloat(value.type.dtype) ? floatToHalf(static_cast<float>(value.floats[i])) : uint64_t(value.ints[i]);
    for (int64_t bit = 0; bit < bits; ++bit) {
      size_t at = i * bits + bit;
      bytes[at / 8] = static_cast<char>(bytes[at / 8] | (raw >> bit & 1) << (at % 8));
    }
  }
  return bytes;
}

absl::Status elementsFrom(const proto::TensorValue &tensor, Value &value) {
  const ElementType dtype = value.type.dtype;
  std::optional<int64_t> count = value.type.numElements();
  if (!count)
    return wrong(absl::StrCat("a value of type ", value.type.str(), " has no number of elements"));
  auto take = [&](const auto &from, auto &to, bool fits) -> absl::Status {
    if (!fits || from.size() != *count)
      return wrong(absl::StrCat("a value of type ", value.type.str(), " has ", from.size(), " elements",
                                fits ? "" : " of another type"));
    to.assign(from.begin(), from.end());
    return absl::OkStatus();
  };
  const bool isSmallInt = dtype == ElementType::Int32 || dtype == ElementType::Int16 || dtype == ElementType::UInt16 ||
                          dtype == ElementType::Int8 || dtype == ElementType::UInt8;
  switch (tensor.value_case()) {
  case proto::TensorValue::kFloats:
    return take(tensor.floats().values(), value.floats, dtype == ElementType::Float32);
  case proto::TensorValue::kDoubles:
    return take(tensor.doubles().values(), value.floats, dtype == ElementType::Float64);
  case proto::TensorValue::kInts:
    return take(tensor.ints().values(), value.ints, isSmallInt);
  case proto::TensorValue::kLongInts:
    return take(tensor.longints().values(), value.ints, dtype == ElementType::Int64 || dtype == ElementType::UInt64);
  case proto::TensorValue::kBools:
    return take(tensor.bools().values(), value.ints, dtype == ElementType::Bool);
  case proto::TensorValue::kStrings:
    return take(tensor.strings().values(), value.strings, dtype == ElementType::String);
  case proto::TensorValue::kBytes:
    if (bitWidth(dtype) == 0)
      return wrong("a value of strings is bytes");
    return unpack(tensor.bytes().values(), *count, value);
  case proto::TensorValue::VALUE_NOT_SET:
    break;
  }
  // No elements need no field.
  return *count == 0 ? absl::OkStatus() : wrong(absl::StrCat("a value of type ", value.type.str(), " is missing"));
}

absl::StatusOr<Value> valueFrom(const proto::Value &from, int depth) {
  if (depth > kMaxDepth)
    return wrong(absl::StrCat("a value nests more than ", kMaxDepth, " deep"));
  absl::StatusOr<Type> type = typeFrom(from.type(), depth);
  if (!type.ok())
    return type.status();
  Value value;
  value.type = std::move(*type);
  auto addItem = [&](const proto::Value &item) -> absl::Status {
    absl::StatusOr<Value> read = valueFrom(item, depth + 1);
    if (read.ok())
      value.items.push_back(std::move(*read));
    return read.status();
  };
  if (from.has_blobfilevalue()) {
    if (!value.type.isTensor())
      return wrong(absl::StrCat("a value in a weight file is a tensor, found ", value.type.str()));
    return Value::blob(std::move(value.type), from.blobfilevalue().filename(), from.blobfilevalue().offset());
  }
  const proto::Value::ImmediateValue &immediate = from.immediatevalue();
  absl::Status status;
  switch (immediate.value_case()) {
  case proto::Value::ImmediateValue::kTensor:
    if (!value.type.isTensor())
      return wrong(absl::StrCat("a tensor is the value of type ", value.type.str()));
    value.kind = Value::Kind::Elements;
    status = elementsFrom(immediate.tensor(), value);
    break;
  case proto::Value::ImmediateValue::kList:
    value.kind = Value::Kind::Tuple;
    for (const proto::Value &item : immediate.list().values())
      if (status = addItem(item); !status.ok())
        return status;
    break;
  case proto::Value::ImmediateValue::kTuple:
    value.kind = Value::Kind::Tuple;
    for (const proto::Value &item : immediate.tuple().values())
      if (status = addItem(item); !status.ok())
        return status;
    break;
  case proto::Value::ImmediateValue::kDictionary:
    value.kind = Value::Kind::Dict;
    for (const auto &pair : immediate.dictionary().values())
      for (const proto::Value *item : {&pair.key(), &pair.value()})
        if (status = addItem(*item); !status.ok())
          return status;
    break;
  case proto::Value::ImmediateValue::VALUE_NOT_SET:
    // An empty tensor may be written as nothing at all.
    if (value.type.isTensor() && value.type.numElements() == 0) {
      value.kind = Value::Kind::Elements;
      break;
    }
    return wrong(absl::StrCat("a value of type ", value.type.str(), " is missing"));
  }
  if (!status.ok())
    return status;
  return value;
}

absl::Status elementsTo(const Value &value, proto::TensorValue &out) {
  switch (value.type.dtype) {
  case ElementType::Float32:
    for (double each : value.floats)
      out.mutable_floats()->add_values(static_cast<float>(each));
    out.mutable_floats(); // also of no elements
    break;
  case ElementType::Float64:
    out.mutable_doubles()->mutable_values()->Add(value.floats.begin(), value.floats.end());
    break;
  case ElementType::Int16:
  case ElementType::UInt16:
  case ElementType::Int32:
    for (int64_t each : value.ints)
      out.mutable_ints()->add_values(static_cast<int32_t>(each));
    out.mutable_ints();
    break;
  case ElementType::Int64:
  case ElementType::UInt64:
    out.mutable_longints()->mutable_values()->Add(value.ints.begin(), value.ints.end());
    break;
  case ElementType::Bool:
    for (int64_t each : value.ints)
      out.mutable_bools()->add_values(each != 0);
    out.mutable_bools();
    break;
  case ElementType::String:
    for (const std::string &each : value.strings)
      out.mutable_strings()->add_values(each);
    out.mutable_strings();
    break;
  case ElementType::BFloat16:
    return wrong("bf16 has no immediate value");
  default:
    out.mutable_bytes()->set_values(pack(value));
  }
  return absl::OkStatus();
}

void setExtent(int64_t extent, proto::Dimension &out) {
  if (extent == mil::kUnknownDim)
    out.mutable_unknown()->set_variadic(false);
  else
    out.mutable_constant()->set_size(static_cast<uint64_t>(extent));
}

} // namespace

absl::StatusOr<Type> coreml::fromProto(const proto::ValueType &type) { return typeFrom(type, 0); }

absl::StatusOr<Value> coreml::fromProto(const proto::Value &value) { return valueFrom(value, 0); }

absl::Status coreml::toProto(const Type &type, proto::ValueType &out) {
  auto tensor = [&] {
    for (const DataType &known : kTypes)
      if (known.type == type.dtype)
        out.mutable_tensortype()->set_datatype(known.number);
    out.mutable_tensortype()->set_rank(static_cast<int64_t>(type.dims.size()));
    for (int64_t extent : type.dims)
      setExtent(extent, *out.mutable_tensortype()->add_dimensions());
    return absl::OkStatus();
  };
  switch (type.kind) {
  case Type::Kind::Scalar:
  case Type::Kind::Tensor:
    return tensor();
  case Type::Kind::List:
    setExtent(type.dims[0], *out.mutable_listtype()->mutable_length());
    return toProto(type.params[0], *out.mutable_listtype()->mutable_type());
  case Type::Kind::Tuple:
    out.mutable_tupletype();
    for (const Type &inner : type.params)
      if (absl::Status status = toProto(inner, *out.mutable_tupletype()->add_types()); !status.ok())
        return status;
    return absl::OkStatus();
  case Type::Kind::Dict: {
    absl::Status key = toProto(type.params[0], *out.mutable_dictionarytype()->mutable_keytype());
    return key.ok() ? toProto(type.params[1], *out.mutable_dictionarytype()->mutable_valuetype()) : key;
  }
  case Type::Kind::State:
    return toProto(type.params[0], *out.mutable_statetype()->mutable_wrappedtype());
  }
  return absl::OkStatus();
}

absl::Status coreml::toProto(const Value &value, proto::Value &out) {
  if (value.isReference())
    return wrong(absl::StrCat("the name ", quote(value.name), " stands where a value does"));
  if (absl::Status status = toProto(value.type, *out.mutable_type()); !status.ok())
    return status;
  switch (value.kind) {
  case Value::Kind::Blob:
    out.mutable_blobfilevalue()->set_filename(value.path);
    out.mutable_blobfilevalue()->set_offset(value.offset);
    return absl::OkStatus();
  case Value::Kind::Elements:
    return elementsTo(value, *out.mutable_immediatevalue()->mutable_tensor());
  case Value::Kind::Tuple: {
    const bool isList = value.type.kind == Type::Kind::List;
    proto::Value::ImmediateValue &immediate = *out.mutable_immediatevalue();
    isList ? static_cast<void>(immediate.mutable_list()) : static_cast<void>(immediate.mutable_tuple());
    for (const Value &item : value.items) {
      proto::Value &place = isList ? *immediate.mutable_list()->add_values() : *immediate.mutable_tuple()->add_values();
      if (absl::Status status = toProto(item, place); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }
  case Value::Kind::Dict:
    out.mutable_immediatevalue()->mutable_dictionary();
    for (size_t i = 0; i + 1 < value.items.size(); i += 2) {
      auto &pair = *out.mutable_immediatevalue()->mutable_dictionary()->add_values();
      absl::Status status = toProto(value.items[i], *pair.mutable_key());
      if (status.ok())
        status = toProto(value.items[i + 1], *pair.mutable_value());
      if (!status.ok())
        return status;
    }
    return absl::OkStatus();
  case Value::Kind::Reference:
    break;
  }
  return absl::OkStatus();
}
