//===- StoredBlob.h - how blobs follow from weights ------------*- C++ -*-===//
#ifndef ANE_LIB_BUNDLE_STOREDBLOB_H
#define ANE_LIB_BUNDLE_STOREDBLOB_H

#include "ane/IR/ANE.h"
#include "runtime/format/manifest/manifest.h"

namespace mlir::ane {

/// How the elements of `blob` follow from the weights of the model that it reads, which are put into `sources`. Place
/// and readers are left open.
::ane::rt::manifest::StoredWeight describeBlob(BlobOp blob, SmallVectorImpl<Attribute> &sources);

} // namespace mlir::ane

#endif // ANE_LIB_BUNDLE_STOREDBLOB_H
