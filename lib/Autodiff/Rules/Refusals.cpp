//===- Refusals.cpp - ops that can't be differentiated, and why -----------===//

#include "../Rules.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
struct CompressedConstant {
  static constexpr const char *reason = "a compressed constant is decoded when a bundle is written, before any run";
};
struct Quantised {
  static constexpr const char *reason = "the scale of a quantised tensor is a constant of the model";
};
struct Sampled {
  static constexpr const char *reason = "sampling at computed coordinates has no rule";
};
struct BoxSelection {
  static constexpr const char *reason = "which boxes are kept does not change continuously";
};
struct State {
  static constexpr const char *reason = "a state outlives the run, and gradients end with it";
};
struct Container {
  static constexpr const char *reason = "gradients are made before islands and programs are formed (phase canonical)";
};
} // namespace

void mlir::ane::attachRefusals(MLIRContext *context) {
  attachRefused<CompressedConstant, ConstexprAffineDequantizeOp, ConstexprBlockwiseShiftScaleOp, ConstexprCastOp,
                ConstexprLutToDenseOp, ConstexprSparseToDenseOp, ConstexprLutToSparseOp,
                ConstexprSparseBlockwiseShiftScaleOp, ConstexprBlocksOp>(context);
  attachRefused<Quantised, QuantizeOp, DequantizeOp>(context);
  attachRefused<Sampled, CropResizeOp, AffineOp, ResampleOp>(context);
  attachRefused<BoxSelection, NonMaximumSuppressionOp>(context);
  attachRefused<State, ReadStateOp, WriteStateOp, UpdateStateOp>(context);
  attachRefused<Container, IslandOp, YieldOp, ProgramOp, EvalOp, StateOp, BlobOp, ParameterOp>(context);
  attachConstant<ConstOp>(context);
}
