//===- Heads.cpp - heads of attention -------------------------------------===//

#include "Heads.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

Expr mlir::ane::onnx_import::splitHeads(Expr x, int64_t heads) {
  NodeBinder &n = x.binder();
  if (!n)
    return x;
  if (heads < 1 || x.shape()[2] % heads != 0) {
    n.error("the size " + Twine(x.shape()[2]) + " is not divisible into " + Twine(heads) + " heads");
    return x;
  }
  SmallVector<int64_t> shape{x.shape()[0], x.shape()[1], heads, x.shape()[2] / heads};
  return x.reshape(shape).transpose({0, 2, 1, 3});
}

Expr mlir::ane::onnx_import::joinHeads(Expr x) {
  if (!x.binder())
    return x;
  SmallVector<int64_t> shape{x.shape()[0], x.shape()[2], x.shape()[1] * x.shape()[3]};
  return x.transpose({0, 2, 1, 3}).reshape(shape);
}

Expr mlir::ane::onnx_import::repeatHeads(Expr x, int64_t heads) {
  NodeBinder &n = x.binder();
  if (!n || x.shape()[1] == heads)
    return x;
  if (x.shape()[1] < 1 || heads % x.shape()[1] != 0) {
    n.error(Twine(heads) + " query heads can't share " + Twine(x.shape()[1]) + " heads of key and value");
    return x;
  }
  SmallVector<int64_t> wide(x.shape()), shape(x.shape());
  wide.insert(wide.begin() + 2, heads / x.shape()[1]);
  shape[1] = heads;
  return x.expand(2).broadcast(wide).reshape(shape);
}
