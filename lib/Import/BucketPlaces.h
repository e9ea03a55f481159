//===- BucketPlaces.h - what places behind an input's end do ---*- C++ -*-===//
//
// Buckets fill inputs up. Whether that shows is a question of each op: whether its results at real places depend on
// the places behind them, and what it leaves there for others. Followed from the inputs through a function, with the
// axes that differ between the smallest and the largest size as those of places.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_BUCKETPLACES_H
#define ANE_LIB_IMPORT_BUCKETPLACES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::ane {

/// An axis of a value.
struct PlaceAxis {
  bool varies = false; ///< with the size: it has places
  /// What all elements behind the real places are, at real places of the value's other axes; minus infinity: large and
  /// negative. Nothing: whatever. Only known where it varies.
  std::optional<double> behind;
};
using PlaceAxes = SmallVector<PlaceAxis>;

/// Sees the ops of the smallest and of the largest size together, in their order, but for reshapes and what is computed
/// from constants, which it finds.
class BucketPlaces {
public:
  /// What is behind the real places of an argument is 0 if it `isMask`.
  void addArgument(Value one, Value other, bool isMask);
  /// An empty text if no real place of a result depends on what is behind real places of operands; else what op is
  /// "this op ...".
  StringRef visit(Operation &one, Operation &other);

private:
  /// Nothing if the sizes read different values.
  std::optional<PlaceAxes> axesOf(Value one, Value other);

  /// By the values of the largest size: those of the smallest, and axes.
  llvm::DenseMap<Value, std::pair<Value, PlaceAxes>> known;
};

} // namespace mlir::ane

#endif // ANE_LIB_IMPORT_BUCKETPLACES_H
