//===- StoredBlob.cpp - how blobs follow from weights ---------------------===//

#include "StoredBlob.h"
#include "../IR/ConstantMove.h"
#include "ane/Constraint/ConstantSources.h"
#include "ane/IR/Dtype.h"

using namespace mlir;
using namespace mlir::ane;
namespace manifest = ::ane::rt::manifest;

/// The order of `value`'s elements in the weight of the model that it is, moved and at most once rounded to fp16;
/// nothing for other values.
static std::optional<StridedView> viewOf(Value value) {
  SmallVector<Operation *> moves; // from the value inwards
  CastOp narrowing;
  while (Operation *op = value.getDefiningOp()) {
    if (Value moved = movedOperand(op)) {
      moves.push_back(op);
      value = moved;
    } else if (auto cast = dyn_cast<CastOp>(op); cast && !narrowing) {
      narrowing = cast;
      value = op->getOperand(0);
    } else {
      break;
    }
  }
  auto leaf = value.getDefiningOp<ConstOp>();
  if (!leaf || !isa<WeightAttr>(leaf.getValue()))
    return std::nullopt;
  auto type = cast<RankedTensorType>(leaf.getType());
  if (narrowing && !(type.getElementType().isF32() && narrowing.getType().getElementType().isF16()))
    return std::nullopt;
  std::optional<StridedView> view = StridedView::dense(type.getShape());
  for (Operation *op : llvm::reverse(moves))
    if (view)
      view = viewThrough(op, *view);
  return view ? std::optional(view->collapsed()) : std::nullopt;
}

manifest::StoredWeight mlir::ane::describeBlob(BlobOp blob, SmallVectorImpl<Attribute> &sources) {
  ConstantSources from(blob.getBody());
  sources.assign(from.weights.begin(), from.weights.end());
  std::optional<StridedView> view = viewOf(blob.getResult());
  manifest::StoredWeight stored;
  stored.fixed = from.obstacle(/*known=*/view.has_value());
  if (!stored.fixed.empty())
    return stored;
  stored.dtype = *elementTypeOf(blob.getType().getElementType());
  stored.base = view->base;
  stored.shape.assign(view->shape.begin(), view->shape.end());
  stored.strides.assign(view->strides.begin(), view->strides.end());
  return stored;
}
