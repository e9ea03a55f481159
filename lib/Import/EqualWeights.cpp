//===- EqualWeights.cpp - one range for weights that are alike ------------===//

#include "EqualWeights.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::ane;

WeightAttr EqualWeights::firstAlike(WeightAttr weight, function_ref<InFlightDiagnostic()> emitError) {
  WeightTable &table = cast<ANEDialect>(weight.getDialect()).getWeights();
  FailureOr<ArrayRef<char>> bytes = table.lookup(weight, emitError);
  if (failed(bytes))
    return weight;
  // Of both ends only: the model is not read for this, but where two weights seem alike.
  size_t sample = std::min<size_t>(bytes->size(), 1 << 11);
  uint64_t ends = 0;
  for (ArrayRef<char> end : {bytes->take_front(sample), bytes->take_back(sample)})
    ends = llvm::hash_combine(ends, llvm::xxh3_64bits(StringRef(end.data(), end.size())));
  for (auto [it, end] = byEnds.equal_range(ends); it != end; ++it)
    if (it->second == weight ||
        (it->second.getType() == weight.getType() && *table.lookup(it->second, emitError) == *bytes))
      return it->second;
  byEnds.emplace(ends, weight);
  return weight;
}
