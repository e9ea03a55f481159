//===- Model.cpp - loading of an ONNX model -------------------------------===//

#include "Model.h"
#include "../ConstantEvaluator.h"
#include "../ForeignFile.h"
#include "ane/IR/ANE.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/Inference.h"
#include "ane/Support/InputFile.h"
#include "ane/Support/NamePatterns.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;
namespace path = llvm::sys::path;

llvm::Error mlir::ane::onnx_import::makeError(const Twine &message) { return llvm::createStringError(message); }

llvm::Expected<std::unique_ptr<Model>> Model::load(StringRef path) {
  auto model = std::make_unique<Model>();
  model->modelPath = path.str();
  if (std::string foreign = llvm::sys::fs::is_directory(path) ? describeForeignDirectory(path) : ""; !foreign.empty())
    return makeError("'" + path + "' " + foreign);
  auto buffer = readInputFile(path, /*isText=*/false);
  if (!buffer)
    return buffer.takeError();
  model->buffer = std::move(*buffer);
  if (std::string foreign = describeForeignFile(model->buffer->getBuffer(), /*anyText=*/true); !foreign.empty())
    return makeError("'" + path + "' " + foreign);
  auto scanned = scanWireFormat(model->buffer->getBuffer());
  if (!scanned)
    return scanned.takeError();
  model->scanned = std::move(*scanned);
  std::string &reduced = model->scanned.reduced;
  if (!model->modelProto.ParseFromArray(reduced.data(), int(reduced.size())))
    return makeError("damaged ONNX file: protobuf can't parse the model");
  std::string().swap(reduced);
  return std::move(model);
}

//===-- types -------------------------------------------------------------===//

namespace {
/// TensorProto.DataType, with numbers newer than Debian's header.
enum DataType {
  Float = 1,
  UInt8,
  Int8,
  UInt16,
  Int16,
  Int32,
  Int64,
  String,
  Bool,
  Float16,
  Double,
  UInt32,
  UInt64,
  BFloat16 = 16,
  Float8E4M3FN,
  Float8E4M3FNUZ,
  Float8E5M2,
  Float8E5M2FNUZ,
  UInt4,
  Int4
};
} // namespace

Type mlir::ane::onnx_import::elementType(int32_t type, MLIRContext *context) {
  Builder b(context);
  switch (type) {
  case Float:
    return b.getF32Type();
  case UInt8:
    return b.getIntegerType(8, /*isSigned=*/false);
  case Int8:
    return b.getI8Type();
  case UInt16:
    return b.getIntegerType(16, /*isSigned=*/false);
  case Int16:
    return b.getI16Type();
  case Int32:
    return b.getI32Type();
  case Int64:
    return b.getI64Type();
  case Bool:
    return b.getI1Type();
  case Float16:
    return b.getF16Type();
  case Double:
    return b.getF64Type();
  case UInt32:
    return b.getIntegerType(32, /*isSigned=*/false);
  case UInt64:
    return b.getIntegerType(64, /*isSigned=*/false);
  case BFloat16:
    return b.getBF16Type();
  case Float8E4M3FN:
    return b.getFloat8E4M3FNType();
  case Float8E4M3FNUZ:
    return b.getFloat8E4M3FNUZType();
  case Float8E5M2:
    return b.getFloat8E5M2Type();
  case Float8E5M2FNUZ:
    return b.getFloat8E5M2FNUZType();
  case UInt4:
    return b.getIntegerType(4, /*isSigned=*/false);
  case Int4:
    return b.getIntegerType(4);
  default:
    return nullptr;
  }
}

int32_t mlir::ane::onnx_import::dataTypeOf(Type type) {
  int32_t code = Float;
  while (code <= Int4 && elementType(code, type.getContext()) != type)
    ++code;
  return code;
}

std::string mlir::ane::onnx_import::dataTypeName(int32_t type) {
  static constexpr StringLiteral names[] = {
      "undefined", "float",      "uint8",      "int8",         "uint16",         "int16",      "int32",
      "int64",     "string",     "bool",       "float16",      "double",         "uint32",     "uint64",
      "complex64", "complex128", "bfloat16",   "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
      "uint4",     "int4",       "float4e2m1", "float8e8m0",   "uint2",          "int2"};
  if (type >= 0 && size_t(type) < std::size(names))
    return names[type].str();
  return std::to_string(type);
}

llvm::Expected<RankedTensorType> mlir::ane::onnx_import::tensorType(int32_t dataType, ArrayRef<int64_t> dims,
                                                                    StringRef subject, MLIRContext *context) {
  Type element = elementType(dataType, context);
  if (!element)
    return makeError(subject + ": elements of type " + dataTypeName(dataType) + " are not supported");
  int64_t elements = 1;
  for (int64_t dim : dims) {
    if (dim < 0)
      return makeError(subject + ": dimension " + Twine(dim) + " is negative");
    if (dim != 0 && elements > maxModelElements / dim)
      return makeError(subject + " has more than " + Twine(maxModelElements) + " elements: its shape is [" +
                       llvm::join(llvm::map_range(dims, [](int64_t dim) { return std::to_string(dim); }), ", ") + "]");
    elements *= std::max<int64_t>(dim, 1);
  }
  return RankedTensorType::get(dims, element);
}

uint64_t mlir::ane::onnx_import::tensorBytes(RankedTensorType type) {
  uint64_t bits = type.getElementTypeBitWidth();
  return bits == 1 ? type.getNumElements() : (uint64_t(type.getNumElements()) * bits + 7) / 8;
}

//===-- constants ---------------------------------------------------------===//

/// The bytes that the typed data fields of `tensor` spell. Empty (with `count` set) if there is another number of
/// values than `expected`.
static SmallVector<char> typedBytes(const onnx::TensorProto &tensor, unsigned bits, size_t expected, size_t &count) {
  SmallVector<char> bytes;
  auto append = [&](const auto &values, unsigned width) {
    count = values.size();
    if (count != expected)
      return;
    bytes.reserve(count * width);
    // Little-endian hosts only, as everywhere in the project: the low bytes come first.
    for (auto value : values)
      bytes.append(reinterpret_cast<const char *>(&value), reinterpret_cast<const char *>(&value) + width);
  };
  unsigned width = std::max(1u, bits / 8);
  switch (tensor.data_type()) {
  case Float:
    append(tensor.float_data(), 4);
    break;
  case Double:
    append(tensor.double_data(), 8);
    break;
  case Int64:
    append(tensor.int64_data(), 8);
    break;
  case UInt32:
  case UInt64:
    append(tensor.uint64_data(), width);
    break;
  default:
    append(tensor.int32_data(), width);
    break;
  }
  return bytes;
}

static bool isOfFloats(const onnx::TensorProto &tensor) {
  return llvm::is_contained({Float, Double, Float16, BFloat16}, tensor.data_type());
}

llvm::Error Model::keepTrainable(ArrayRef<std::string> texts, bool eachMatches) {
  auto patterns = NamePatterns::create("--trainable", texts);
  if (!patterns)
    return patterns.takeError();
  for (const onnx::TensorProto &tensor : modelProto.graph().initializer())
    if (isOfFloats(tensor) && patterns->match(tensor.name()))
      trainable.insert(&tensor);
  if (std::optional<StringRef> unused = patterns->unused(); unused && eachMatches)
    return makeError("--trainable=" + *unused + ": no initializer of floats is called so");
  return llvm::Error::success();
}

/// Whether a node's input is a layer's weight, bias or statistic, whatever its size.
static bool isLayersOwn(const onnx::NodeProto &node, int input) {
  StringRef type = node.op_type();
  if (type == "PRelu" || type == "MatMul" || type == "Gemm" || type.starts_with("Conv") ||
      type.ends_with("Normalization"))
    return input > 0;
  return (type == "LSTM" || type == "GRU" || type == "RNN") && input > 0 && input != 4 && input != 5 && input != 6;
}

/// Names that nodes read as a layer's own, also through nodes that only move elements.
static llvm::StringSet<> layersOwn(const onnx::GraphProto &graph) {
  llvm::StringSet<> found, products;
  for (const onnx::NodeProto &node : llvm::reverse(graph.node())) {
    for (int i = 0; i < node.input_size(); ++i)
      if (isLayersOwn(node, i))
        found.insert(node.input(i));
    bool isMoved = llvm::is_contained({"Reshape", "Transpose", "Unsqueeze", "Squeeze", "Cast", "Identity"},
                                      StringRef(node.op_type()));
    if (isMoved && node.output_size() > 0 && node.input_size() > 0 && found.contains(node.output(0)))
      found.insert(node.input(0));
  }
  for (const onnx::NodeProto &node : graph.node()) {
    if (node.output_size() > 0 && (node.op_type() == "MatMul" || node.op_type() == "Gemm"))
      products.insert(node.output(0));
    if (node.op_type() == "Add" && node.input_size() == 2)
      for (int i : {0, 1})
        if (products.contains(node.input(1 - i)))
          found.insert(node.input(i));
  }
  return found;
}

llvm::Error Model::keepParameters(const Declared &declared, ArrayRef<std::string> texts) {
  auto patterns = NamePatterns::create("--trainable", texts);
  if (!patterns)
    return patterns.takeError();
  llvm::StringSet<> own = layersOwn(modelProto.graph());
  for (const onnx::TensorProto &tensor : modelProto.graph().initializer()) {
    int64_t elements = 1;
    for (int64_t dim : tensor.dims())
      elements = std::min<int64_t>(elements * std::clamp<int64_t>(dim, 0, 2), 2);
    bool maybe = elements > 1 || (elements == 1 && own.contains(tensor.name()));
    if (isOfFloats(tensor) && (patterns->match(tensor.name()) || declared.isParameter(tensor.name()).value_or(maybe) ||
                               declared.statisticsOf(tensor.name()) || own.contains(tensor.name())))
      trainable.insert(&tensor);
  }
  if (std::optional<StringRef> unused = patterns->unused())
    return makeError("--trainable=" + *unused + ": no initializer of floats is called so");
  return llvm::Error::success();
}

llvm::Expected<TypedAttr> Model::rawConstant(const onnx::TensorProto &tensor, RankedTensorType type, StringRef file,
                                             ArrayRef<char> contents, ByteRange range, StringRef subject) {
  if (range.size != tensorBytes(type)) {
    std::string text;
    llvm::raw_string_ostream(text) << subject << " has " << range.size << " bytes of data, but " << type << " needs "
                                   << tensorBytes(type);
    return makeError(text);
  }
  ArrayRef<char> bytes = contents.slice(range.offset, range.size);
  if (range.size < inlineBytes && (!isTrainable(&tensor) || range.size == 0))
    return denseFromBytes(type, bytes);
  return TypedAttr(WeightAttr::get(type.getContext(), type, file, range.offset, range.size, StringAttr()));
}

llvm::Expected<ArrayRef<char>> Model::mapExternal(StringRef location, StringRef subject, std::string &file) {
  auto contents = [](const llvm::MemoryBuffer &b) { return ArrayRef<char>(b.getBufferStart(), b.getBufferSize()); };
  auto escapes = [&] {
    return makeError(subject + ": external data '" + location +
                     "' must be a relative path inside the model's directory");
  };
  if (location.empty() || location.contains('\0') || location.contains('\\') || path::is_absolute(location) ||
      llvm::is_contained(llvm::make_range(path::begin(location), path::end(location)), ".."))
    return escapes();
  SmallString<256> joined = path::parent_path(modelPath);
  path::append(joined, location);
  file = std::string(joined);
  auto &buffer = externalFiles[location];
  if (buffer)
    return contents(*buffer);

  // A symbolic link may lead to the directory where the model itself is really stored (a download cache), not
  // elsewhere.
  SmallString<256> realFile, realDirectory, realModel;
  if (std::error_code error = llvm::sys::fs::real_path(file, realFile))
    return makeError(subject + ": can't read external data '" + file + "': " + error.message());
  StringRef directory = path::parent_path(modelPath);
  if (llvm::sys::fs::real_path(directory.empty() ? StringRef(".") : directory, realDirectory) ||
      llvm::sys::fs::real_path(modelPath, realModel))
    return escapes();
  auto inside = [&](StringRef parent) {
    return realFile.str().starts_with(parent) &&
           (parent.ends_with("/") || realFile.str().substr(parent.size()).starts_with("/"));
  };
  if (!inside(realDirectory) && !inside(path::parent_path(realModel)))
    return escapes();
  auto mapped = readInputFile(file, /*isText=*/false);
  if (!mapped)
    return makeError(subject + ": " + llvm::toString(mapped.takeError()));
  buffer = std::move(*mapped);
  return contents(*buffer);
}

llvm::Expected<TypedAttr> Model::externalConstant(const onnx::TensorProto &tensor, RankedTensorType type,
                                                  StringRef subject) {
  StringRef location;
  ByteRange range{0, tensorBytes(type)};
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    uint64_t *number = entry.key() == "offset" ? &range.offset : entry.key() == "length" ? &range.size : nullptr;
    if (number && StringRef(entry.value()).getAsInteger(10, *number))
      return makeError(subject + ": external data " + entry.key() + " '" + entry.value() + "' is not a number");
  }
  std::string file;
  auto contents = mapExternal(location, subject, file);
  if (!contents)
    return contents.takeError();
  if (range.offset > contents->size() || range.size > contents->size() - range.offset)
    return makeError(subject + ": external data '" + file + "' has " + Twine(contents->size()) + " bytes, but " +
                     Twine(range.size) + " bytes at offset " + Twine(range.offset) + " are needed");
  return rawConstant(tensor, type, file, *contents, range, subject);
}

llvm::Expected<TypedAttr> Model::constant(const onnx::TensorProto &tensor, StringRef subject, MLIRContext *context) {
  SmallVector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  auto type = tensorType(tensor.data_type(), dims, subject, context);
  if (!type)
    return type.takeError();
  if (tensor.has_segment())
    return makeError(subject + " is stored in segments, which is not supported");
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return externalConstant(tensor, *type, subject);
  if (tensor.has_raw_data()) {
    std::optional<ByteRange> range = scanned.lookup(tensor.raw_data());
    if (!range)
      return makeError(subject + ": raw data were not found in the file");
    int32_t only = range->field == ByteRange::FloatData ? Float : Double;
    if (range->field != ByteRange::RawData && tensor.data_type() != only)
      return makeError(subject + " of type " + dataTypeName(tensor.data_type()) + " has its data in a field for " +
                       dataTypeName(only));
    return rawConstant(tensor, *type, modelPath, ArrayRef<char>(buffer->getBufferStart(), buffer->getBufferSize()),
                       *range, subject);
  }
  unsigned bits = type->getElementTypeBitWidth();
  size_t expected = bits == 4 ? (type->getNumElements() + 1) / 2 : type->getNumElements(), count = 0;
  SmallVector<char> bytes = typedBytes(tensor, bits, expected, count);
  if (count != expected) {
    std::string text;
    llvm::raw_string_ostream(text) << subject << " has " << count << " values, but " << *type << " needs " << expected;
    return makeError(text);
  }
  return denseFromBytes(*type, bytes);
}

//===-- sparse constants --------------------------------------------------===//

static FailureOr<ConstantBuffer> bytesOf(TypedAttr constant) {
  OpBuilder builder(constant.getContext());
  ConstOp op = builder.create<ConstOp>(builder.getUnknownLoc(), constant);
  FailureOr<ConstantBuffer> bytes = evaluateConstant(op);
  op->erase();
  return bytes;
}

/// Indices count elements of the whole tensor, or of each of its axes.
llvm::Expected<TypedAttr> Model::constant(const onnx::SparseTensorProto &tensor, StringRef subject,
                                          MLIRContext *context) {
  // A few bytes of a file may claim any shape.
  constexpr uint64_t maxBytes = uint64_t(1) << 28;
  SmallVector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  auto type = tensorType(tensor.values().data_type(), dims, subject, context);
  if (!type)
    return type.takeError();
  if (type->getElementTypeBitWidth() == 4)
    return makeError(subject + " is sparse and has elements of 4 bits, which is not supported; remedy: store it dense");
  if (tensorBytes(*type) > maxBytes)
    return makeError(subject + " is sparse and takes " + Twine(tensorBytes(*type)) +
                     " bytes when it is dense; limit: " + Twine(maxBytes) + "; remedy: store it dense");
  auto values = constant(tensor.values(), (subject + ", values").str(), context);
  if (!values)
    return values.takeError();
  auto indices = constant(tensor.indices(), (subject + ", indices").str(), context);
  if (!indices)
    return indices.takeError();
  int64_t count = cast<RankedTensorType>(values->getType()).getNumElements();
  auto places = cast<RankedTensorType>(indices->getType());
  bool isLinear = places.getShape() == ArrayRef<int64_t>{count};
  if (!places.getElementType().isInteger(64) ||
      (!isLinear && places.getShape() != ArrayRef<int64_t>{count, type->getRank()}))
    return makeError(subject + " is sparse, and its indices are no int64[" + Twine(count) + "] or int64[" +
                     Twine(count) + ", " + Twine(type->getRank()) + "]");
  auto elements = bytesOf(*values), numbers = bytesOf(*indices);
  if (failed(elements) || failed(numbers))
    return makeError(subject + ": its data can't be read");

  unsigned width = elementBytes(type->getElementType());
  std::vector<char> dense(tensorBytes(*type), 0);
  const char *next = numbers->bytes().data();
  uint64_t firstFree = 0; // place that may come next
  for (int64_t i = 0; i < count; ++i) {
    uint64_t place = 0;
    for (int64_t axis = 0, axes = isLinear ? 1 : type->getRank(); axis < axes; ++axis, next += sizeof(int64_t)) {
      auto index = llvm::support::endian::read64le(next);
      uint64_t size = isLinear ? type->getNumElements() : type->getDimSize(axis);
      if (index >= size)
        return makeError(subject + " is sparse, and index " + Twine(int64_t(index)) + " of value " + Twine(i) +
                         " is outside of " + Twine(size) + "; remedy: give indices from 0 to " +
                         Twine(int64_t(size) - 1));
      place = place * size + index;
    }
    if (place < firstFree)
      return makeError(subject + " is sparse, and the indices of value " + Twine(i) +
                       " do not ascend: its place is element " + Twine(place) + ", that of the value before is " +
                       Twine(firstFree - 1) + "; remedy: sort the values by their indices, and give each place once");
    firstFree = place + 1;
    std::copy_n(elements->bytes().data() + i * width, width, dense.data() + place * width);
  }
  return denseFromBytes(*type, dense);
}
