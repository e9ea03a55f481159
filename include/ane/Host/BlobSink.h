//===- BlobSink.h - packed weights into a MIL blob file --------*- C++ -*-===//
#ifndef ANE_HOST_BLOBSINK_H
#define ANE_HOST_BLOBSINK_H

#include "ane/Host/Host.h"
#include "runtime/format/blob/blob.h"

namespace mlir::ane {

/// Appends to a blob file that the caller creates and finishes. Types that blobs don't have (64-bit integers, doubles,
/// bool) are stored as bytes: only the generated code reads them.
class HostBlobSink : public HostWeightSink {
public:
  /// `emitError` is called for every failure to write.
  HostBlobSink(::ane::rt::blob::Writer &writer, std::function<void(const Twine &)> emitError)
      : writer(writer), emitError(std::move(emitError)) {}
  FailureOr<uint64_t> begin(Type elementType, uint64_t bytes) override;
  LogicalResult write(ArrayRef<char> data) override;
  /// Ends the last record.
  LogicalResult end();

private:
  LogicalResult check(const absl::Status &status);

  ::ane::rt::blob::Writer &writer;
  std::function<void(const Twine &)> emitError;
  bool open = false;
};

} // namespace mlir::ane

#endif // ANE_HOST_BLOBSINK_H
