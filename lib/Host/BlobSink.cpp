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

FailureOr<uint64_t> HostBlobSink::begin(Type elementType, uint64_t bytes) {
  std::optional<ElementType> type = blobType(elementType);
  uint64_t elements = type ? bytes / (elementType.getIntOrFloatBitWidth() / 8) : bytes;
  auto position = writer.begin(type.value_or(ElementType::UInt8), elements);
  if (!position.ok())
    return error() << std::string(position.status().message()), failure();
  missing = bytes;
  return *position + ::ane::rt::blob::kRecordBytes;
}

LogicalResult HostBlobSink::write(ArrayRef<char> data) {
  absl::Status status = writer.append(data.data(), data.size());
  missing -= data.size();
  if (status.ok() && missing == 0)
    status = writer.end();
  if (!status.ok())
    return error() << std::string(status.message()), failure();
  return success();
}
