//===- BlobSink.h - packed weights into a MIL blob file --------*- C++ -*-===//
#ifndef ANE_HOST_BLOBSINK_H
#define ANE_HOST_BLOBSINK_H

#include "ane/Host/Host.h"
#include "runtime/format/blob/blob.h"
#include <atomic>
#include <future>

namespace mlir::ane {

/// Writes a blob file on a thread of its own while code is generated. Types that blobs don't have (64-bit integers,
/// doubles, bool) are stored as bytes: only the generated code reads them.
class HostBlobSink : public HostWeightSink {
public:
  explicit HostBlobSink(std::string path) : path(std::move(path)) {}
  /// Stops the thread; the file is then not there.
  ~HostBlobSink() override { stopped = true; }

  uint64_t add(Type elementType, uint64_t bytes, HostWeightBytes make) override;
  void complete() override;

  struct File {
    uint64_t bytes;
    std::string hash;
    std::vector<std::string> tensorHashes; ///< in the order of add()
  };
  /// Waits until the file is written. To be called after complete(), once.
  absl::StatusOr<File> wait() { return file.get(); }

private:
  struct Tensor {
    ::ane::rt::ElementType type;
    uint64_t elements;
    HostWeightBytes make;
  };
  absl::StatusOr<File> write() const;

  std::string path;
  std::vector<Tensor> tensors;
  uint64_t end = ::ane::rt::blob::kHeaderBytes; // of the last tensor
  std::atomic<bool> stopped = false;
  std::future<absl::StatusOr<File>> file; // the last member: its destructor waits for the thread
};

} // namespace mlir::ane

#endif // ANE_HOST_BLOBSINK_H
