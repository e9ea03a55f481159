//===- constants.cpp - Values that the text or a weight file holds --------===//

#include "runtime/device/emulator/constants.h"

#include "absl/strings/str_cat.h"
#include "runtime/support/half.h"

#include <algorithm>
#include <cstring>

namespace ane::rt::emulator {

std::shared_ptr<void> makeElements(int64_t count) {
  return std::shared_ptr<void>(allocateElements(count).release(), FreeDeleter());
}

absl::StatusOr<TensorType> tensorType(const mil::Type &type) {
  if (!type.isScalar() && !type.isTensor())
    return absl::UnimplementedError(absl::StrCat("type ", type.str(), " is not a tensor"));
  TensorType result{type.dtype, type.dims};
  if (result.rank() > kMaxRank)
    return absl::InvalidArgumentError(absl::StrCat("a type has ", result.rank(), " axes; the limit is ", kMaxRank));
  for (int64_t dim : result.shape)
    if (dim < 0)
      return absl::UnimplementedError(
          absl::StrCat("type ", type.str(), " has an unknown dimension; shapes are static"));
  if (result.rank() > 1 && std::count(result.shape.begin(), result.shape.end(), 0) != 0)
    return absl::InvalidArgumentError(absl::StrCat("type ", type.str(), " has an axis without elements"));
  std::optional<int64_t> count = type.numElements();
  if (!count || *count > kMaxElements)
    return absl::ResourceExhaustedError(
        absl::StrCat("type ", type.str(), " has more than ", kMaxElements, " elements, the limit of the emulator"));
  return result;
}

namespace {

template <typename T>
void copyInts(const uint8_t *from, int32_t *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    to[i] = static_cast<int32_t>(value);
  }
}

/// Elements of a blob in the emulator's form; false for a type it has none for.
bool unpackElements(const blob::Blob &blob, int64_t count, void *to) {
  auto *floats = static_cast<float *>(to);
  auto *ints = static_cast<int32_t *>(to);
  switch (blob.type) {
  case ElementType::Float16: {
    // The payload may lie at any address.
    std::vector<uint16_t> aligned(4096);
    for (int64_t done = 0; done < count;) {
      int64_t part = std::min<int64_t>(count - done, 4096);
      std::memcpy(aligned.data(), blob.data + done * 2, static_cast<size_t>(part) * 2);
      widenHalf(aligned.data(), floats + done, part);
      done += part;
    }
    return true;
  }
  case ElementType::BFloat16:
    for (int64_t i = 0; i < count; ++i) {
      uint16_t half;
      std::memcpy(&half, blob.data + i * 2, 2);
      uint32_t bits = static_cast<uint32_t>(half) << 16;
      std::memcpy(floats + i, &bits, 4);
    }
    return true;
  case ElementType::Float32:
    std::memcpy(floats, blob.data, static_cast<size_t>(count) * 4);
    return true;
  case ElementType::Int8:
    copyInts<int8_t>(blob.data, ints, count);
    return true;
  case ElementType::UInt8:
    copyInts<uint8_t>(blob.data, ints, count);
    return true;
  case ElementType::Int16:
    copyInts<int16_t>(blob.data, ints, count);
    return true;
  case ElementType::UInt16:
    copyInts<uint16_t>(blob.data, ints, count);
    return true;
  case ElementType::Int32:
  case ElementType::UInt32:
    copyInts<uint32_t>(blob.data, ints, count);
    return true;
  case ElementType::Int4:
  case ElementType::UInt1:
  case ElementType::UInt2:
  case ElementType::UInt3:
  case ElementType::UInt4:
  case ElementType::UInt6: {
    std::vector<int8_t> values = blob::unpack(blob.type, blob.data, static_cast<uint64_t>(count));
    std::copy(values.begin(), values.end(), ints);
    return true;
  }
  default:
    return false;
  }
}

} // namespace

absl::Status ConstantPool::take(int64_t elements) {
  int64_t bytes = saturatingSum(bytesUsed, elements * 4);
  if (int64_t limit = saturatingSum(limits.bytes, sourceBytes * kBytesPerConstantByte); bytes > limit)
    return absl::ResourceExhaustedError(
        absl::StrCat("what is known at load takes ", bytes, " bytes; the limit for this program is ", limit));
  bytesUsed = bytes;
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const Constant>> ConstantPool::decodeLiteral(const mil::Value &value,
                                                                            const TensorType &type) {
  auto constant = std::make_shared<Constant>();
  constant->type = type;
  if (type.element == ElementType::String) {
    constant->strings = value.strings;
    return constant;
  }
  int64_t count = type.size();
  size_t given = heldAsFloat(type.element) ? value.floats.size() : value.ints.size();
  if (static_cast<int64_t>(given) != count)
    return absl::InvalidArgumentError(
        absl::StrCat("type ", type.str(), " needs ", count, " elements, the literal has ", given));
  sourceBytes += count;
  if (absl::Status status = take(count); !status.ok())
    return status;
  constant->elements = makeElements(count);
  if (heldAsFloat(type.element)) {
    auto *floats = static_cast<float *>(constant->elements.get());
    for (int64_t i = 0; i < count; ++i)
      floats[i] = static_cast<float>(value.floats[static_cast<size_t>(i)]);
    if (type.element == ElementType::Float16)
      roundToHalf(floats, count);
  } else {
    auto *ints = static_cast<int32_t *>(constant->elements.get());
    for (int64_t i = 0; i < count; ++i) {
      int64_t wide = value.ints[static_cast<size_t>(i)];
      if (wide < INT32_MIN || wide > UINT32_MAX)
        return absl::OutOfRangeError(absl::StrCat("element ", i, " is ", wide, "; the emulator computes in 32 bits"));
      ints[i] = static_cast<int32_t>(wide);
    }
  }
  return constant;
}

absl::StatusOr<MappedFile> ConstantPool::map(const std::string &name) const {
  std::optional<std::string_view> path = weightPath(name);
  if (!path)
    return absl::InvalidArgumentError(absl::StrCat("weight file \"", name, "\" does not begin with @model_path/"));
  if (!options.folder)
    return absl::NotFoundError(absl::StrCat("weight file \"", name, "\": the program came without a folder of files"));
  return options.folder->map(*path);
}

absl::StatusOr<std::shared_ptr<const ConstantPool::WeightFile>> ConstantPool::weightFile(const std::string &name) {
  auto found = files.find(name);
  if (found != files.end())
    return found->second;
  absl::StatusOr<MappedFile> mapped = map(name);
  if (!mapped.ok())
    return mapped.status();
  absl::StatusOr<blob::Reader> reader = blob::Reader::of(*std::move(mapped), name);
  if (!reader.ok())
    return reader.status();
  auto file = std::make_shared<const WeightFile>(WeightFile{std::move(*reader)});
  sourceBytes += static_cast<int64_t>(file->reader.fileSize());
  files.emplace(name, file);
  return file;
}

/// The bytes behind where the record would be, and from the start again at the
/// end of the file.
absl::StatusOr<std::shared_ptr<const Constant>> ConstantPool::decodeWrongBytes(const mil::Value &value,
                                                                               const TensorType &type) {
  absl::StatusOr<MappedFile> file = map(value.path);
  if (!file.ok())
    return file.status();
  if (absl::Status status = take(type.size()); !status.ok())
    return status;
  uint64_t bytes = blob::packedBytes(type.element, static_cast<uint64_t>(type.size())).value_or(0);
  std::vector<uint8_t> copy(bytes);
  for (uint64_t i = 0; i < bytes && file->size(); ++i)
    copy[i] = file->data()[(value.offset % file->size() + 64 + i) % file->size()];
  auto constant = std::make_shared<Constant>();
  constant->type = type;
  constant->elements = makeElements(type.size());
  blob::Blob made;
  made.type = type.element;
  made.bytes = bytes;
  made.data = copy.data();
  if (!unpackElements(made, type.size(), constant->elements.get()))
    return absl::InvalidArgumentError(absl::StrCat("weight files hold no elements of type ", type.str()));
  return constant;
}

absl::StatusOr<std::shared_ptr<const Constant>> ConstantPool::decodeBlob(const mil::Value &value,
                                                                         const TensorType &type) {
  Key key{value.path, value.offset, type.str()};
  auto found = blobs.find(key);
  if (found != blobs.end())
    return found->second;
  auto file = weightFile(value.path);
  if (!file.ok())
    return file.status();
  int64_t count = type.size();
  const blob::Reader &reader = (*file)->reader;
  std::vector<std::string> deviations;
  absl::StatusOr<blob::Blob> blob = reader.readAs(value.offset, type.element, static_cast<uint64_t>(count), deviations);
  if (!blob.ok())
    return options.readWrongBytes ? decodeWrongBytes(value, type) : blob.status();
  if (options.strictBlobs && !deviations.empty())
    return absl::DataLossError(absl::StrCat("weight file \"", value.path, "\", record at ", value.offset,
                                            ", is not the ", type.str(), " of the text: ", deviations.front()));

  auto constant = std::make_shared<Constant>();
  constant->type = type;
  constant->place = {value.path, value.offset, blob->offset, blob->bytes};
  bool aligned = reinterpret_cast<uintptr_t>(blob->data) % 2 == 0;
  // One element may be a parameter, which is read at load.
  if (type.element == ElementType::Float16 && aligned && count > 1 && wideBytesUsed + count * 4 > options.wideBytes) {
    constant->packed = reinterpret_cast<const uint16_t *>(blob->data);
    constant->file = *file;
  } else {
    if (absl::Status status = take(count); !status.ok())
      return status;
    wideBytesUsed += count * 4;
    constant->elements = makeElements(count);
    if (!unpackElements(*blob, count, constant->elements.get()))
      return absl::InvalidArgumentError(absl::StrCat("weight files hold no elements of type ", type.str()));
  }
  blobs.emplace(std::move(key), constant);
  return constant;
}

absl::StatusOr<std::shared_ptr<const Constant>> ConstantPool::decodeAgain(const Constant &constant) {
  mil::Value value;
  value.path = constant.place->path;
  value.offset = constant.place->record;
  return decodeBlob(value, constant.type);
}

absl::StatusOr<std::shared_ptr<const Constant>> ConstantPool::decode(const mil::Value &value) {
  absl::StatusOr<TensorType> type = tensorType(value.type);
  if (!type.ok())
    return type.status();
  switch (value.kind) {
  case mil::Value::Kind::Elements:
    return decodeLiteral(value, *type);
  case mil::Value::Kind::Blob:
    return decodeBlob(value, *type);
  default:
    return absl::InvalidArgumentError("a literal or a BLOBFILE is needed");
  }
}

} // namespace ane::rt::emulator
