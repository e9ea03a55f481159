//===- EqualWeights.h - one range for weights that are alike ---*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_EQUALWEIGHTS_H
#define ANE_LIB_IMPORT_EQUALWEIGHTS_H

#include "ane/IR/ANE.h"
#include <map>

namespace mlir::ane {

/// Finds weights of equal type and bytes, so that a bundle has them once.
class EqualWeights {
public:
  /// The first weight with the bytes and the type of `weight`; that itself, after an error, if its file can't be read.
  WeightAttr firstAlike(WeightAttr weight, function_ref<InFlightDiagnostic()> emitError);

private:
  std::multimap<uint64_t, WeightAttr> byEnds; // by a hash of their first and last bytes
};

} // namespace mlir::ane

#endif // ANE_LIB_IMPORT_EQUALWEIGHTS_H
