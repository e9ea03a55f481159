//===- Buckets.h - a model for several sizes of a dimension ----*- C++ -*-===//
#ifndef ANE_IMPORT_BUCKETS_H
#define ANE_IMPORT_BUCKETS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace mlir::ane {

/// Which sizes of a dimension a model is compiled for.
struct Buckets {
  std::string dimension;
  std::vector<int64_t> sizes; // ascending; empty: the model has no buckets

  /// Takes `sequence=32,64`, the argument of --bucket. Returns what is wrong with it, or an empty string.
  std::string take(StringRef text);
  /// What the function for a size is called.
  static std::string functionName(StringRef name, int64_t size);
};

/// Marks `functions`, one for each size, as the buckets of `name`: `ane.bucket` says which size and how it is filled
/// up, `ane.bucket_axes` of arguments and results which axes are the dimension. Inputs are filled up if `padsAlways`.
/// Else they are if the model has a mask, which is an input of integers or truth values that is called attention_mask
/// and has the dimension, or if it has states, which ever those at positions of their own turn out to be; but, with a
/// warning, not if an op counts the places, as a mean over them does, or mixes them and may not leave out those behind
/// the end of the input. Runs have to show that it changes nothing. Fails, after an error, where a shape depends on the
/// dimension in another way.
LogicalResult markBuckets(ArrayRef<func::FuncOp> functions, StringRef name, const Buckets &buckets, bool padsAlways);

} // namespace mlir::ane

#endif // ANE_IMPORT_BUCKETS_H
