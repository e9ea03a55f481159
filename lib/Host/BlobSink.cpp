//===- BlobSink.cpp - packed weights into a MIL blob file -----------------===//

#include "ane/Host/BlobSink.h"

using namespace mlir;
using namespace mlir::ane;
using ::ane::rt::ElementType;

static std::optional<ElementType> blobType(Type type) {
  if (type.isF32())
    return ElementType::Float32;
  if (type.isF16())
    return ElementType::Float16;
  if (type.isBF16())
    return ElementType::BFloat16;
  if (type.isInteger(32))
    return ElementType::Int32;
  return std::nullopt;
}

LogicalResult HostBlobSink::check(const absl::Status &status) {
  if (!status.ok())
    emitError(std::string(status.message()));
  return success(status.ok());
}

FailureOr<uint64_t> HostBlobSink::begin(Type elementType, uint64_t bytes) {
  if (failed(end()))
    return failure();
  std::optional<ElementType> type = blobType(elementType);
  // The record of data that blobs have no type for counts bytes.
  uint64_t elements = type ? bytes / (elementType.getIntOrFloatBitWidth() / 8) : bytes;
  auto position = writer.begin(type.value_or(ElementType::UInt8), elements);
  if (failed(check(position.status())))
    return failure();
  open = true;
  return *position + ::ane::rt::blob::kRecordBytes;
}

LogicalResult HostBlobSink::write(ArrayRef<char> data) { return check(writer.append(data.data(), data.size())); }

LogicalResult HostBlobSink::end() { return std::exchange(open, false) ? check(writer.end()) : success(); }
