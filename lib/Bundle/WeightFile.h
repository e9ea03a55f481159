//===- WeightFile.h - records of blobs -------------------------*- C++ -*-===//
#ifndef ANE_LIB_BUNDLE_WEIGHTFILE_H
#define ANE_LIB_BUNDLE_WEIGHTFILE_H

#include "ane/IR/ANE.h"
#include "runtime/format/manifest/manifest.h"
#include <map>

namespace mlir::ane {

/// Where the data of a record lie, and their hash.
struct WrittenBlob {
  BlobOp blob;
  int64_t offset, bytes;
  std::string hash;
};

/// Evaluates blobs and writes them as the weight file at `path`, each as the record at its offset; `tell` is called for
/// each of them. `name` is what the file is called in messages, and in what is returned.
FailureOr<::ane::rt::manifest::File> writeWeightFile(ModuleOp module, StringRef path, StringRef name,
                                                     const std::map<int64_t, BlobOp> &records,
                                                     llvm::function_ref<void(const WrittenBlob &)> tell);

} // namespace mlir::ane

#endif // ANE_LIB_BUNDLE_WEIGHTFILE_H
