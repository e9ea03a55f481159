//===- Bounded.h - values whose size only the data know --------*- C++ -*-===//
//
// NonZero and NonMaxSuppression give as many columns or rows as they find, Split as many as its second input says. Here
// their results have room for the most, and a filler behind those that there are. That is right as long as every row is
// computed from the same row only; an op that adds, sorts or counts rows would take those without content, too, so that
// such a model is refused. What a condition of run time chooses has the size of what was chosen.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_ONNX_BOUNDED_H
#define ANE_LIB_IMPORT_ONNX_BOUNDED_H

#include "mlir/IR/BuiltinTypes.h"
#include "onnx.pb.h"
#include <string>

namespace mlir::ane::onnx_import {

class BoundedValues {
public:
  /// Where the room of a value came from.
  struct Room {
    int64_t axis;
    int64_t filler;    // -1: what stands behind the last entry
    std::string maker; // "node 'nms' (NonMaxSuppression)"
    Value count;       // one i64: how many entries there are
  };

  void add(Value value, Room room) { rooms.insert({value, std::move(room)}); }
  /// The room of a value; null if its size is its own.
  const Room *lookup(Value value) const;
  /// Why `value`, called `name` and with room, can't go where its `reader` takes it; empty if its size is its own.
  std::string refuse(Value value, const std::string &name, StringRef reader) const;
  /// Follows the room of `inputs` to the `results` of `node`. Returns what is wrong with that; empty: nothing.
  std::string follow(const onnx::NodeProto &node, ArrayRef<Value> inputs, ArrayRef<Value> results);

private:
  llvm::DenseMap<Value, Room> rooms;
};

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_BOUNDED_H
