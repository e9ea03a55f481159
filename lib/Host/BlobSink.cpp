//===- BlobSink.cpp - packed weights into a MIL blob file -----------------===//

#include "ane/Host/BlobSink.h"
#include "runtime/support/hash.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ane;
using ::ane::rt::ElementType;
namespace blob = ::ane::rt::blob;

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

uint64_t HostBlobSink::add(Type elementType, uint64_t bytes, HostWeightBytes make) {
  std::optional<ElementType> type = blobType(elementType);
  uint64_t elements = type ? bytes / (elementType.getIntOrFloatBitWidth() / 8) : bytes;
  tensors.push_back({type.value_or(ElementType::UInt8), elements, std::move(make)});
  uint64_t offset = llvm::alignTo(end, blob::kAlignment) + blob::kRecordBytes;
  end = offset + bytes;
  return offset;
}

void HostBlobSink::complete() {
  file = std::async(std::launch::async, [this] { return write(); });
}

absl::StatusOr<HostBlobSink::File> HostBlobSink::write() const {
  auto writer = blob::Writer::create(path, tensors.size());
  if (!writer.ok())
    return writer.status();
  std::vector<std::string> hashes;
  for (const Tensor &tensor : tensors) {
    absl::Status status = writer->begin(tensor.type, tensor.elements).status();
    ::ane::rt::Hash hash;
    if (status.ok())
      tensor.make([&](ArrayRef<char> part) {
        hash.update(part.data(), part.size());
        status = stopped ? absl::CancelledError() : writer->append(part.data(), part.size());
        return status.ok();
      });
    if (status.ok())
      status = writer->end();
    if (!status.ok())
      return status;
    hashes.push_back(hash.digest());
  }
  if (absl::Status status = writer->finish(); !status.ok())
    return status;
  return File{writer->size(), writer->digest(), std::move(hashes)};
}
