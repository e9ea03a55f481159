//===- LegalizeIO.cpp - rank 4 and full rows at the border ----------------===//

#include "ane/Constraint/Origin.h"
#include "ane/Constraint/TargetEnv.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEIO
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

/// A surface: what the program declares, and how much of the last axis holds data.
struct Surface {
  SmallVector<int64_t, 4> shape; // rank 4, data only
  int64_t width;                 // declared extent of the last axis, at least shape[3]
};

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// [1, C, 1, S] for matrices and token sequences, the shape itself where it has rank 4.
static SmallVector<int64_t, 4> toRank4(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> dims(shape);
  while (dims.size() > 4) {
    dims[1] *= dims[0];
    dims.erase(dims.begin());
  }
  while (dims.size() > 2 && dims.size() < 4 && dims.front() == 1)
    dims.erase(dims.begin());
  switch (dims.size()) {
  case 0:
    return {1, 1, 1, 1};
  case 1:
    return {1, 1, 1, dims[0]};
  case 2:
    return {1, dims[0], 1, dims[1]};
  case 3:
    return {1, dims[0], dims[1], dims[2]};
  default:
    return {dims[0], dims[1], dims[2], dims[3]};
  }
}

static Surface surfaceFor(RankedTensorType type, const TargetEnv &env) {
  int64_t lanes = env.limit(Limit::Lanes), elements = type.getNumElements();
  Surface surface{toRank4(type.getShape()), 0};
  // Narrow rows waste most of each 64 bytes: one long row wastes nothing.
  if (surface.shape[3] % lanes != 0 && elements % lanes == 0 && elements <= env.limit(Limit::SpatialAxis))
    surface.shape = {1, 1, 1, elements};
  surface.width = llvm::alignTo(surface.shape[3], lanes);
  return surface;
}

/// Whether a result of the program has to be a copy of `value`: an argument, a constant, or a value with other readers.
static bool needsCopy(Value value) { return !value.getDefiningOp() || isConstantExpr(value) || !value.hasOneUse(); }

namespace {
struct LegalizeIO : mlir::ane::impl::LegalizeIOBase<LegalizeIO> {
  using LegalizeIOBase::LegalizeIOBase;
  void runOnOperation() override {
    Block &body = getOperation().getEngine().front();
    TargetEnv env = lookupTargetEnv(getOperation());
    TwinPlaces twin(getOperation());
    Block::iterator first = body.begin(); // what is done to arguments stands before it, in their order
    for (BlockArgument argument : body.getArguments()) {
      RankedTensorType type = typeOf(argument);
      Surface surface = surfaceFor(type, env);
      SmallVector<int64_t, 4> declared(surface.shape);
      declared[3] = surface.width;
      if (type.getShape() == ArrayRef<int64_t>(declared))
        continue;
      EngineBuilder builder(&body, first, twin.readersOf(argument.getArgNumber()));
      Composer b(builder, argument.getLoc());
      argument.setType(type.clone(declared));
      SmallPtrSet<Operation *, 2> added;
      Value value = argument;
      if (surface.width != surface.shape[3]) {
        value = b.make<SliceBySizeOp>(value, ArrayRef<int64_t>{0, 0, 0, 0}, ArrayRef<int64_t>(surface.shape));
        added.insert(value.getDefiningOp());
      }
      if (typeOf(value).getShape() != type.getShape()) {
        value = b.make<ReshapeOp>(value, type.getShape());
        added.insert(value.getDefiningOp());
      }
      argument.replaceAllUsesExcept(value, added);
    }
    Operation *yield = body.getTerminator();
    for (OpOperand &operand : yield->getOpOperands()) {
      Value value = operand.get();
      EngineBuilder builder(&body, Block::iterator(yield), twin.producerOf(operand.getOperandNumber()));
      Surface surface = surfaceFor(typeOf(value), env);
      Composer b(builder, value.getLoc());
      if (typeOf(value).getShape() != ArrayRef<int64_t>(surface.shape))
        value = b.make<ReshapeOp>(value, ArrayRef<int64_t>(surface.shape));
      if (surface.width != surface.shape[3])
        value = b.make<PadOp>(value, builder.getDenseI64ArrayAttr({0, surface.width - surface.shape[3]}),
                              builder.getStringAttr("constant"), builder.getF64FloatAttr(0.0));
      // A returned value is the result of an op of its own (Q10, Q10b): a product with 1 is exact.
      if (value == operand.get() && needsCopy(value))
        value = b.mul(value, 1.0);
      operand.set(value);
    }
  }
};
} // namespace
