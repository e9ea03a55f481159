//===- Bits.cpp - ONNX ops on the bits of integers ------------------------===//

#include "../NodeBinder.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

template <typename OpTy>
static void bitwise(NodeBinder &n) {
  n.result(0, n.emit<OpTy>({n.input(0), n.input(1)}));
}

static void bitwiseNot(NodeBinder &n) { n.result(0, n.emit<BitwiseNotOp>({n.input(0)})); }

static void bitShift(NodeBinder &n) {
  Value x = n.input(0), amount = n.input(1);
  bool left = n.stringAttr("direction", "", {"LEFT", "RIGHT"}) == "LEFT";
  n.result(0, left ? n.emit<ShiftLeftOp>({x, amount}) : n.emit<ShiftRightOp>({x, amount}));
}

void mlir::ane::onnx_import::registerBitOps(Registry &registry) {
  registry.onOp("", "BitShift", {11, 28}, bitShift);
  registry.onOp("", "BitwiseAnd", {18}, bitwise<BitwiseAndOp>);
  registry.onOp("", "BitwiseNot", {18}, bitwiseNot);
  registry.onOp("", "BitwiseOr", {18}, bitwise<BitwiseOrOp>);
  registry.onOp("", "BitwiseXor", {18}, bitwise<BitwiseXorOp>);
}
