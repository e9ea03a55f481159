//===- OpView.h - arguments of an op by their MIL names --------*- C++ -*-===//
//
// For parameters that ops of several classes have, by the name that MIL, the op records and this folder share.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_HOST_OPVIEW_H
#define ANE_LIB_HOST_OPVIEW_H

#include "ane/IR/ANE.h"

namespace mlir::ane::host {

struct OpView {
  Operation *op;
  OpView(Operation *op) : op(op) {}

  StringRef name() const { return op->getName().stripDialect(); }

  /// The parameter's value, or the default where the op leaves it out.
  int64_t integer(StringRef name, int64_t fallback = 0) const {
    auto attr = op->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : fallback;
  }
  double real(StringRef name, double fallback = 0) const {
    auto attr = op->getAttrOfType<FloatAttr>(name);
    return attr ? attr.getValueAsDouble() : fallback;
  }
  bool flag(StringRef name, bool fallback = false) const {
    auto attr = op->getAttrOfType<BoolAttr>(name);
    return attr ? attr.getValue() : fallback;
  }
  StringRef string(StringRef name, StringRef fallback = "") const {
    auto attr = op->getAttrOfType<StringAttr>(name);
    return attr ? attr.getValue() : fallback;
  }
  ArrayRef<int64_t> ints(StringRef name) const {
    auto attr = op->getAttrOfType<DenseI64ArrayAttr>(name);
    return attr ? attr.asArrayRef() : ArrayRef<int64_t>();
  }
  /// `ints(name)` with negative axes counted from `rank`; all axes where it is left out and `all` is set.
  SmallVector<int64_t> axes(StringRef name, int64_t rank, bool all = false) const {
    SmallVector<int64_t> result(ints(name));
    for (int64_t &axis : result)
      axis += axis < 0 ? rank : 0;
    if (result.empty() && all)
      for (int64_t i = 0; i < rank; ++i)
        result.push_back(i);
    return result;
  }
  /// `integer(name)` with a negative axis counted from `rank`.
  int64_t axis(StringRef name, int64_t rank, int64_t fallback = 0) const {
    int64_t value = integer(name, fallback);
    return value < 0 ? value + rank : value;
  }
};

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_OPVIEW_H
