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
absl::Status unsupported(const std::string &what) { return absl::UnimplementedError(what); }

/// A type as a message shows it: a tuple may have many parts.
std::string shown(const Type &type) {
  constexpr size_t kShown = 120;
  std::string text = type.str();
  return text.size() > kShown ? text.substr(0, kShown) + "..." : text;
}

absl::StatusOr<ElementType> elementType(int number) {
  for (const DataType &known : kTypes)
    if (known.number == number)
      return known.type;
  if (number == proto::FLOAT8E4M3FN || number == proto::FLOAT8E5M2)
    return unsupported("the data type is a float of 8 bits, which is not supported; convert the model with weights of "
                       "fp16, or of integers");
  return wrong(absl::StrCat("the data type has number ", number, ", which is no type that is known"));
}

bool isSigned(ElementType type) { return isInteger(type) && milName(type)[0] == 'i'; }

/// Whether `value` is one of an integer type of less than 64 bits, or a bool.
bool isInRange(int64_t value, ElementType type) {
  const int64_t bits = type == ElementType::Bool ? 1 : bitWidth(type);
  return isSigned(type) ? value >= -(int64_t(1) << (bits - 1)) && value < int64_t(1) << (bits - 1)
                        : value >= 0 && value < int64_t(1) << bits;
}

/// Protocol buffers to types and values.
class Reader {
public:
  explicit Reader(Count &count) : count(count) {}
  absl::StatusOr<Type> type(const proto::ValueType &from, int depth);
  absl::StatusOr<Value> value(const proto::Value &from, int depth);

private:
  absl::StatusOr<Type> tensorType(const proto::TensorType &from);
  absl::Status addType(const proto::ValueType &from, int depth, Type &to);
  absl::Status addItem(const proto::Value &from, int depth, const Type &type, Value &to);
  absl::Status immediate(const proto::Value::ImmediateValue &from, int depth, Value &to);
  absl::Status elements(const proto::TensorValue &from, Value &to);
  absl::Status unpack(const std::string &bytes, int64_t number, Value &to);

  Count &count;
};

absl::StatusOr<int64_t> extentOf(const proto::Dimension &dimension) {
  if (dimension.has_unknown() && dimension.unknown().variadic())
    return unsupported(
        "a tensor's number of axes may vary, which is not supported; convert the model with a fixed one");
  if (dimension.has_unknown())
    return mil::kUnknownDim;
  if (!dimension.has_constant())
    return wrong("a dimension is neither a size nor unknown");
  uint64_t size = dimension.constant().size();
  if (size > uint64_t(INT64_MAX))
    return wrong(absl::StrCat("a dimension is ", size, ", above 2^63-1"));
  return static_cast<int64_t>(size);
}

absl::StatusOr<Type> Reader::tensorType(const proto::TensorType &from) {
  absl::StatusOr<ElementType> dtype = elementType(from.datatype());
  if (!dtype.ok())
    return dtype.status();
  if (from.rank() < 0 || from.rank() > kMaxRank || from.rank() != from.dimensions_size())
    return wrong(absl::StrCat("a tensor says rank ", from.rank(), " and has ", from.dimensions_size(),
                              " dimensions; both are the same, 0 to ", kMaxRank));
  if (!from.attributes().empty())
    return wrong(
        absl::StrCat("a tensor's type has the attribute ", quote(from.attributes().begin()->first), "; none is known"));
  Type result = Type::tensor(*dtype, {});
  for (const proto::Dimension &dimension : from.dimensions()) {
    absl::StatusOr<int64_t> extent = extentOf(dimension);
    if (!extent.ok())
      return extent.status();
    result.dims.push_back(*extent);
  }
  return result;
}

absl::Status Reader::addType(const proto::ValueType &from, int depth, Type &to) {
  absl::StatusOr<Type> read = type(from, depth + 1);
  if (read.ok())
    to.params.push_back(std::move(*read));
  return read.status();
}

absl::StatusOr<Type> Reader::type(const proto::ValueType &from, int depth) {
  if (depth > kMaxDepth)
    return wrong(absl::StrCat("a type nests more than ", kMaxDepth, " deep"));
  if (absl::Status status = count.node(); !status.ok())
    return status;
  Type result;
  absl::Status status;
  switch (from.type_case()) {
  case proto::ValueType::kTensorType:
    return tensorType(from.tensortype());
  case proto::ValueType::kListType: {
    result.kind = Type::Kind::List;
    absl::StatusOr<int64_t> length = extentOf(from.listtype().length());
    if (!length.ok())
      return length.status();
    result.dims = {*length};
    status = addType(from.listtype().type(), depth, result);
    break;
  }
  case proto::ValueType::kTupleType:
    result.kind = Type::Kind::Tuple;
    for (const proto::ValueType &inner : from.tupletype().types())
      if (status = addType(inner, depth, result); !status.ok())
        return status;
    break;
  case proto::ValueType::kDictionaryType:
    result.kind = Type::Kind::Dict;
    status = addType(from.dictionarytype().keytype(), depth, result);
    if (status.ok())
      status = addType(from.dictionarytype().valuetype(), depth, result);
    break;
  case proto::ValueType::kStateType:
    result.kind = Type::Kind::State;
    status = addType(from.statetype().wrappedtype(), depth, result);
    break;
  case proto::ValueType::TYPE_NOT_SET:
    return wrong("a type is missing");
  }
  if (!status.ok())
    return status;
  return result;
}

/// Integers, bools and floats of less than 32 bits lie as their bytes; those of less than 8 are packed, the first in
/// the lowest bits (coreml-mlprogram.md 1.4, 2).
absl::Status Reader::unpack(const std::string &bytes, int64_t number, Value &to) {
  const ElementType dtype = to.type.dtype;
  const int64_t bits = bitWidth(dtype);
  if (bits == 0 || (isFloat(dtype) && dtype != ElementType::Float16))
    return wrong(absl::StrCat("a value of type ", shown(to.type), " is written as bytes"));
  // Of as many elements as there are bytes for, the sizes do not overflow.
  if (number > int64_t(bytes.size()) * 8 || int64_t(bytes.size()) != (number * bits + 7) / 8)
    return wrong(absl::StrCat("a value of type ", shown(to.type), " has ", bytes.size(), " bytes for ", number,
                              " elements of ", bits, " bits"));
  if (absl::Status status = count.elements(number); !status.ok())
    return status;
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  if (dtype == ElementType::Float16) {
    to.floats.reserve(number);
    for (int64_t i = 0; i < number; ++i)
      to.floats.push_back(halfToFloat(static_cast<uint16_t>(data[2 * i] | data[2 * i + 1] << 8)));
    return absl::OkStatus();
  }
  to.ints.reserve(number);
  for (int64_t i = 0; i < number; ++i) {
    uint64_t raw = 0;
    for (int64_t bit = 0; bit < bits; ++bit) {
      int64_t at = i * bits + bit;
      raw |= uint64_t(data[at / 8] >> (at % 8) & 1) << bit;
    }
    if (isSigned(dtype) && bits < 64 && raw >> (bits - 1))
      raw |= ~uint64_t(0) << bits;
    if (dtype == ElementType::Bool && raw > 1)
      return wrong(absl::StrCat("a bool is ", raw, "; 0 and 1 are bools"));
    to.ints.push_back(static_cast<int64_t>(raw));
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

absl::Status Reader::elements(const proto::TensorValue &from, Value &to) {
  to.kind = Value::Kind::Elements;
  const ElementType dtype = to.type.dtype;
  std::optional<int64_t> number = to.type.numElements();
  if (!number)
    return wrong(absl::StrCat("a value of type ", shown(to.type), " has no number of elements"));
  auto take = [&](const auto &list, auto &elements, bool fits) -> absl::Status {
    if (!fits || list.size() != *number)
      return wrong(absl::StrCat("a value of type ", shown(to.type), " has ", list.size(), " elements",
                                fits ? "" : " of another type"));
    if (absl::Status status = count.elements(*number); !status.ok())
      return status;
    elements.assign(list.begin(), list.end());
    return absl::OkStatus();
  };
  const bool isInt = isInteger(dtype) && bitWidth(dtype) >= 8 && bitWidth(dtype) <= 32 && dtype != ElementType::UInt32;
  switch (from.value_case()) {
  case proto::TensorValue::kFloats:
    return take(from.floats().values(), to.floats, dtype == ElementType::Float32);
  case proto::TensorValue::kDoubles:
    return take(from.doubles().values(), to.floats, dtype == ElementType::Float64);
  case proto::TensorValue::kInts:
    for (int32_t each : from.ints().values())
      if (isInt && !isInRange(each, dtype))
        return wrong(absl::StrCat("an element of type ", std::string(milName(dtype)), " is ", each));
    return take(from.ints().values(), to.ints, isInt);
  case proto::TensorValue::kLongInts:
    return take(from.longints().values(), to.ints, dtype == ElementType::Int64 || dtype == ElementType::UInt64);
  case proto::TensorValue::kBools:
    return take(from.bools().values(), to.ints, dtype == ElementType::Bool);
  case proto::TensorValue::kStrings:
    if (absl::Status status = count.nodes(from.strings().values_size()); !status.ok())
      return status;
    return take(from.strings().values(), to.strings, dtype == ElementType::String);
  case proto::TensorValue::kBytes:
    return unpack(from.bytes().values(), *number, to);
  case proto::TensorValue::VALUE_NOT_SET:
    break;
  }
  // No elements need no field.
  return *number == 0 ? absl::OkStatus() : wrong(absl::StrCat("a value of type ", shown(to.type), " is missing"));
}

absl::Status Reader::addItem(const proto::Value &from, int depth, const Type &type, Value &to) {
  absl::StatusOr<Value> read = value(from, depth + 1);
  if (!read.ok())
    return read.status();
  if (read->type != type)
    return wrong(absl::StrCat("a value of type ", shown(to.type), " holds one of type ", shown(read->type)));
  to.items.push_back(std::move(*read));
  return absl::OkStatus();
}

absl::Status Reader::immediate(const proto::Value::ImmediateValue &from, int depth, Value &to) {
  auto is = [&](Type::Kind kind, int size, int64_t wanted) -> absl::Status {
    if (to.type.kind == kind && (wanted == mil::kUnknownDim || size == wanted))
      return absl::OkStatus();
    return wrong(absl::StrCat("a value of type ", shown(to.type), " is ",
                              kind == Type::Kind::List    ? "a list"
                              : kind == Type::Kind::Tuple ? "a tuple"
                                                          : "a dictionary",
                              " of ", size));
  };
  absl::Status status;
  switch (from.value_case()) {
  case proto::Value::ImmediateValue::kTensor:
    if (!to.type.isTensor())
      return wrong(absl::StrCat("a value of type ", shown(to.type), " is a tensor"));
    return elements(from.tensor(), to);
  case proto::Value::ImmediateValue::kList: {
    to.kind = Value::Kind::Tuple;
    const auto &items = from.list().values();
    status = is(Type::Kind::List, items.size(), to.type.kind == Type::Kind::List ? to.type.dims[0] : 0);
    for (int i = 0; status.ok() && i < items.size(); ++i)
      status = addItem(items[i], depth, to.type.params[0], to);
    return status;
  }
  case proto::Value::ImmediateValue::kTuple: {
    to.kind = Value::Kind::Tuple;
    const auto &items = from.tuple().values();
    status = is(Type::Kind::Tuple, items.size(), static_cast<int64_t>(to.type.params.size()));
    for (int i = 0; status.ok() && i < items.size(); ++i)
      status = addItem(items[i], depth, to.type.params[i], to);
    return status;
  }
  case proto::Value::ImmediateValue::kDictionary: {
    to.kind = Value::Kind::Dict;
    const auto &pairs = from.dictionary().values();
    status = is(Type::Kind::Dict, pairs.size(), mil::kUnknownDim);
    for (int i = 0; status.ok() && i < pairs.size(); ++i) {
      status = addItem(pairs[i].key(), depth, to.type.params[0], to);
      if (status.ok())
        status = addItem(pairs[i].value(), depth, to.type.params[1], to);
    }
    return status;
  }
  case proto::Value::ImmediateValue::VALUE_NOT_SET:
    break;
  }
  // An empty tensor may be written as nothing at all.
  to.kind = Value::Kind::Elements;
  return to.type.isTensor() && to.type.numElements() == 0
             ? absl::OkStatus()
             : wrong(absl::StrCat("a value of type ", shown(to.type), " is missing"));
}

absl::StatusOr<Value> Reader::value(const proto::Value &from, int depth) {
  if (depth > kMaxDepth)
    return wrong(absl::StrCat("a value nests more than ", kMaxDepth, " deep"));
  if (absl::Status status = count.node(); !status.ok())
    return status;
  absl::StatusOr<Type> type = this->type(from.type(), depth);
  if (!type.ok())
    return type.status();
  if (from.has_blobfilevalue()) {
    if (!type->isTensor())
      return wrong(absl::StrCat("a value in a weight file is a tensor, found ", shown(*type)));
    return Value::blob(std::move(*type), from.blobfilevalue().filename(), from.blobfilevalue().offset());
  }
  Value value;
  value.type = std::move(*type);
  if (absl::Status status = immediate(from.immediatevalue(), depth, value); !status.ok())
    return status;
  return value;
}

//===-- the other way -----------------------------------------------------===//

absl::Status elementsTo(const Value &value, proto::TensorValue &out) {
  const size_t number = value.floats.size() + value.ints.size() + value.strings.size();
  if (value.type.numElements() != static_cast<int64_t>(number))
    return wrong(absl::StrCat("a value of type ", shown(value.type), " has ", number, " elements"));
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
    return unsupported("bf16 has no immediate value");
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

absl::Status Count::nodes(int64_t more) {
  constexpr int64_t kMost = int64_t(1) << 22;
  return (seenNodes += more) <= kMost
             ? absl::OkStatus()
             : unsupported(absl::StrCat("the program has more than ", kMost,
                                        " types, values and texts; convert the model in parts"));
}

absl::Status Count::elements(int64_t more) {
  constexpr int64_t kMost = int64_t(1) << 26;
  return more <= kMost && (seenElements += more) <= kMost
             ? absl::OkStatus()
             : unsupported(absl::StrCat("the program itself has more than ", kMost,
                                        " elements of constants; convert the model with a weight file for them"));
}

absl::StatusOr<Type> coreml::fromProto(const proto::ValueType &type, Count &count) {
  return Reader(count).type(type, 0);
}

absl::StatusOr<Value> coreml::fromProto(const proto::Value &value, Count &count) {
  return Reader(count).value(value, 0);
}

void coreml::toProto(const Type &type, proto::ValueType &out) {
  switch (type.kind) {
  case Type::Kind::Scalar:
  case Type::Kind::Tensor:
    for (const DataType &known : kTypes)
      if (known.type == type.dtype)
        out.mutable_tensortype()->set_datatype(known.number);
    out.mutable_tensortype()->set_rank(static_cast<int64_t>(type.dims.size()));
    for (int64_t extent : type.dims)
      setExtent(extent, *out.mutable_tensortype()->add_dimensions());
    return;
  case Type::Kind::List:
    setExtent(type.dims[0], *out.mutable_listtype()->mutable_length());
    return toProto(type.params[0], *out.mutable_listtype()->mutable_type());
  case Type::Kind::Tuple:
    out.mutable_tupletype();
    for (const Type &inner : type.params)
      toProto(inner, *out.mutable_tupletype()->add_types());
    return;
  case Type::Kind::Dict:
    toProto(type.params[0], *out.mutable_dictionarytype()->mutable_keytype());
    return toProto(type.params[1], *out.mutable_dictionarytype()->mutable_valuetype());
  case Type::Kind::State:
    return toProto(type.params[0], *out.mutable_statetype()->mutable_wrappedtype());
  }
}

absl::Status coreml::toProto(const Value &value, proto::Value &out) {
  if (value.isReference())
    return wrong(absl::StrCat("the name ", quote(value.name), " stands where a value does"));
  if (!value.typed)
    return wrong("a value has no type of its own");
  toProto(value.type, *out.mutable_type());
  if (value.kind == Value::Kind::Blob) {
    out.mutable_blobfilevalue()->set_filename(value.path);
    out.mutable_blobfilevalue()->set_offset(value.offset);
    return absl::OkStatus();
  }
  proto::Value::ImmediateValue &immediate = *out.mutable_immediatevalue();
  switch (value.kind) {
  case Value::Kind::Elements:
    return elementsTo(value, *immediate.mutable_tensor());
  case Value::Kind::Tuple: {
    auto &items = value.type.kind == Type::Kind::List ? *immediate.mutable_list()->mutable_values()
                                                      : *immediate.mutable_tuple()->mutable_values();
    for (const Value &item : value.items)
      if (absl::Status status = toProto(item, *items.Add()); !status.ok())
        return status;
    return absl::OkStatus();
  }
  case Value::Kind::Dict:
    immediate.mutable_dictionary();
    for (size_t i = 0; i + 1 < value.items.size(); i += 2) {
      auto &pair = *immediate.mutable_dictionary()->add_values();
      absl::Status status = toProto(value.items[i], *pair.mutable_key());
      if (status.ok())
        status = toProto(value.items[i + 1], *pair.mutable_value());
      if (!status.ok())
        return status;
    }
    return absl::OkStatus();
  case Value::Kind::Blob:
  case Value::Kind::Reference:
    break;
  }
  return absl::OkStatus();
}
