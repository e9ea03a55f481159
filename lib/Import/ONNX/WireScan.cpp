//===- WireScan.cpp - finds tensor bytes in a serialised ONNX model -------===//

#include "WireScan.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

using namespace mlir::ane::onnx_import;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Messages on the way from ModelProto to TensorProto.raw_data.
enum class Message { Model, Graph, Node, Attribute, SparseTensor, Function, Tensor };

enum class Action { Descend, Drop, RawData, PackedData };

struct Rule {
  Message parent;
  uint32_t field;
  Action action;
  Message child = Message::Model;
};

constexpr uint32_t floatDataField = 4, rawDataField = 9, doubleDataField = 10;

constexpr Rule rules[] = {
    {Message::Model, 7, Action::Descend, Message::Graph},             // graph
    {Message::Model, 20, Action::Drop},                               // training_info
    {Message::Model, 25, Action::Descend, Message::Function},         // functions
    {Message::Graph, 1, Action::Descend, Message::Node},              // node
    {Message::Graph, 5, Action::Descend, Message::Tensor},            // initializer
    {Message::Graph, 15, Action::Descend, Message::SparseTensor},     // sparse_initializer
    {Message::Function, 7, Action::Descend, Message::Node},           // node
    {Message::Function, 11, Action::Descend, Message::Attribute},     // attribute_proto
    {Message::Node, 5, Action::Descend, Message::Attribute},          // attribute
    {Message::Attribute, 5, Action::Descend, Message::Tensor},        // t
    {Message::Attribute, 6, Action::Descend, Message::Graph},         // g
    {Message::Attribute, 10, Action::Descend, Message::Tensor},       // tensors
    {Message::Attribute, 11, Action::Descend, Message::Graph},        // graphs
    {Message::Attribute, 22, Action::Descend, Message::SparseTensor}, // sparse_tensor
    {Message::Attribute, 23, Action::Descend, Message::SparseTensor}, // sparse_tensors
    {Message::SparseTensor, 1, Action::Descend, Message::Tensor},     // values
    {Message::SparseTensor, 2, Action::Descend, Message::Tensor},     // indices
    {Message::Tensor, rawDataField, Action::RawData},                 // raw_data
    {Message::Tensor, floatDataField, Action::PackedData},            // float_data
    {Message::Tensor, doubleDataField, Action::PackedData},           // double_data
};

/// libprotobuf refuses 100 levels; a message says more than its "can't parse".
constexpr unsigned maxDepth = 96;
/// libprotobuf's limit for one message.
constexpr uint64_t maxReduced = 0x7fffffff - 64;

StringRef messageName(Message message) {
  switch (message) {
  case Message::Model:
    return "ModelProto";
  case Message::Graph:
    return "GraphProto";
  case Message::Node:
    return "NodeProto";
  case Message::Attribute:
    return "AttributeProto";
  case Message::SparseTensor:
    return "SparseTensorProto";
  case Message::Function:
    return "FunctionProto";
  case Message::Tensor:
    return "TensorProto";
  }
  llvm_unreachable("covered switch");
}

class Scanner {
public:
  explicit Scanner(StringRef file) : file(file) {}

  Error scanMessage(Message message, uint64_t begin, uint64_t end, unsigned depth);
  ScannedModel result;

private:
  struct Field {
    uint64_t start = 0, number = 0, wireType = 0, body = 0, length = 0;
  };
  /// Reads the field at `position` and moves behind it.
  Error readField(Message message, uint64_t &position, uint64_t end, Field &field);
  /// Whether the tensor's only data are one packed block of field `number`.
  Error holdsOneBlock(uint64_t begin, uint64_t end, uint64_t number, bool &holds);
  void writeKey(const Field &field, ByteRange::Field kind);
  Error damaged(uint64_t at, const Twine &what) {
    return llvm::createStringError("damaged ONNX file at byte " + Twine(at) + " of " + Twine(file.size()) + ": " +
                                   what);
  }
  Error tooLarge() {
    return llvm::createStringError("the model holds more than 2 GiB outside raw_data (typed data fields): save its "
                                   "tensors with raw_data or as external data");
  }
  Error readVarint(uint64_t &position, uint64_t end, Message message, uint64_t &value);
  Error copy(uint64_t begin, uint64_t end);
  void writeVarint(uint64_t value);

  StringRef file;
};

} // namespace

Error Scanner::readVarint(uint64_t &position, uint64_t end, Message message, uint64_t &value) {
  uint64_t start = position;
  value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (position >= end)
      return damaged(start, messageName(message) + " ends inside a number");
    uint8_t byte = file[position++];
    // The tenth byte carries one bit.
    if (shift < 63 || byte <= 1)
      value |= uint64_t(byte & 0x7f) << shift;
    else
      break;
    if (!(byte & 0x80))
      return Error::success();
  }
  return damaged(start, "a number in " + messageName(message) + " has more than 64 bits");
}

void Scanner::writeVarint(uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    result.reduced.push_back(char(value | 0x80));
  result.reduced.push_back(char(value));
}

Error Scanner::copy(uint64_t begin, uint64_t end) {
  if (result.reduced.size() > maxReduced || end - begin > maxReduced - result.reduced.size())
    return tooLarge();
  result.reduced.append(file.data() + begin, end - begin);
  return Error::success();
}

Error Scanner::readField(Message message, uint64_t &position, uint64_t end, Field &field) {
  field = Field{position};
  uint64_t tag = 0;
  if (Error error = readVarint(position, end, message, tag))
    return error;
  field.number = tag >> 3;
  field.wireType = tag & 7;
  if (field.number == 0 || field.number > 0x1fffffff)
    return damaged(field.start, "no field of " + messageName(message) + " has number " + Twine(field.number));
  uint64_t ignored;
  switch (field.wireType) {
  case 0:
    if (Error error = readVarint(position, end, message, ignored))
      return error;
    break;
  case 1:
    field.length = 8;
    break;
  case 2:
    if (Error error = readVarint(position, end, message, field.length))
      return error;
    break;
  case 5:
    field.length = 4;
    break;
  default:
    return damaged(field.start, "field " + Twine(field.number) + " of " + messageName(message) + " has wire type " +
                                    Twine(field.wireType) + ", which ONNX does not use");
  }
  if (field.length > end - position)
    return damaged(field.start, "field " + Twine(field.number) + " of " + messageName(message) + " claims " +
                                    Twine(field.length) + " bytes, but the enclosing message ends after " +
                                    Twine(end - position));
  field.body = position;
  position += field.length;
  return Error::success();
}

Error Scanner::holdsOneBlock(uint64_t begin, uint64_t end, uint64_t number, bool &holds) {
  unsigned blocks = 0;
  holds = true;
  for (uint64_t position = begin; position < end;) {
    Field field;
    if (Error error = readField(Message::Tensor, position, end, field))
      return error;
    blocks += field.number == number;
    holds &= field.number != rawDataField && (field.number != number || field.wireType == 2);
  }
  holds &= blocks == 1;
  return Error::success();
}

void Scanner::writeKey(const Field &field, ByteRange::Field kind) {
  char key[8];
  llvm::support::endian::write64le(key, result.rawData.size());
  result.rawData.push_back({field.body, field.length, kind});
  writeVarint(rawDataField << 3 | 2);
  writeVarint(sizeof(key));
  result.reduced.append(key, sizeof(key));
}

Error Scanner::scanMessage(Message message, uint64_t begin, uint64_t end, unsigned depth) {
  if (depth > maxDepth)
    return damaged(begin, "messages are nested more than " + Twine(maxDepth) + " deep");
  // Asked once: a hostile tensor may have millions of blocks.
  std::optional<bool> oneBlock[2];
  for (uint64_t position = begin; position < end;) {
    Field field;
    if (Error error = readField(message, position, end, field))
      return error;
    const Rule *rule = nullptr;
    if (field.wireType == 2)
      for (const Rule &candidate : rules)
        if (candidate.parent == message && candidate.field == field.number)
          rule = &candidate;
    if (rule && rule->action == Action::PackedData) {
      std::optional<bool> &alone = oneBlock[field.number == doubleDataField];
      if (!alone)
        if (Error error = holdsOneBlock(begin, end, field.number, alone.emplace()))
          return error;
      if (!*alone)
        rule = nullptr;
    }
    if (!rule) {
      if (Error error = copy(field.start, position))
        return error;
      continue;
    }
    switch (rule->action) {
    case Action::Drop:
      break;
    case Action::RawData:
      writeKey(field, ByteRange::RawData);
      break;
    case Action::PackedData:
      writeKey(field, field.number == floatDataField ? ByteRange::FloatData : ByteRange::DoubleData);
      break;
    case Action::Descend: {
      // The new length is known afterwards: five bytes are kept for it. Readers accept the padded form.
      writeVarint(field.number << 3 | 2);
      size_t lengthAt = result.reduced.size();
      result.reduced.append(5, '\0');
      if (Error error = scanMessage(rule->child, field.body, position, depth + 1))
        return error;
      uint64_t size = result.reduced.size() - lengthAt - 5;
      for (unsigned i = 0; i < 5; ++i)
        result.reduced[lengthAt + i] = char(((size >> (7 * i)) & 0x7f) | (i < 4 ? 0x80 : 0));
      break;
    }
    }
    if (result.reduced.size() > maxReduced)
      return tooLarge();
  }
  return Error::success();
}

std::optional<ByteRange> ScannedModel::lookup(StringRef key) const {
  uint64_t index = key.size() == 8 ? llvm::support::endian::read64le(key.data()) : rawData.size();
  if (index >= rawData.size())
    return std::nullopt;
  return rawData[index];
}

llvm::Expected<ScannedModel> mlir::ane::onnx_import::scanWireFormat(StringRef file) {
  if (file.empty())
    return llvm::createStringError("the file is empty");
  Scanner scanner(file);
  if (Error error = scanner.scanMessage(Message::Model, 0, file.size(), 0))
    return std::move(error);
  return std::move(scanner.result);
}
