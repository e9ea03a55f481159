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
  HostBlobSink(::ane::rt::blob::Writer &writer, function_ref<InFlightDiagnostic()> error)
      : writer(writer), error(error) {}
  FailureOr<uint64_t> begin(Type elementType, uint64_t bytes) override;
  LogicalResult write(ArrayRef<char> data) override;

private:
  ::ane::rt::blob::Writer &writer;
  std::function<InFlightDiagnostic()> error;
  uint64_t missing = 0;
};

} // namespace mlir::ane

#endif // ANE_HOST_BLOBSINK_H
