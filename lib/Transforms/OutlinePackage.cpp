//===- OutlinePackage.cpp - functions into the program of a package -------===//

#include "ane/IR/DialectAttrs.h"
#include "ane/IR/StateAccess.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_OUTLINEPACKAGE
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct OutlinePackage : mlir::ane::impl::OutlinePackageBase<OutlinePackage> {
  using OutlinePackageBase::OutlinePackageBase;
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    // Weight files are called like programs, and a package's is weight.bin.
    auto program = builder.create<ProgramOp>(getOperation().getLoc(), "weight");
    Block &body = program.getBody().emplaceBlock();
    for (func::FuncOp function : functions)
      function->moveBefore(&body, body.end());
    for (StateOp state : llvm::make_early_inc_range(getOperation().getOps<StateOp>())) {
      state->moveBefore(&body, body.begin());
      if (failed(narrow(state)))
        return signalPassFailure();
    }
    program.walk([&](Operation *op) {
      if (stateAccessOf(op))
        convert(op);
    });
  }

  /// Core ML's states are fp16, and zero at first (coreml-mlprogram.md 1.5, 1.6).
  static LogicalResult narrow(StateOp state) {
    auto type = cast<RankedTensorType>(state.getType());
    if (attrs::initial.get(state))
      return state.emitOpError()
             << "begins with other values than zeros, and states of Core ML with zeros; remedy: pass "
                "it as an input and an output";
    if (!isa<FloatType>(type.getElementType()))
      return state.emitOpError() << "is " << type
                                 << ", and states of Core ML are fp16; remedy: pass it as an input and "
                                    "an output";
    state.setType(type.clone(Float16Type::get(state.getContext())));
    return success();
  }

  /// The function computes in the model's type.
  static void convert(Operation *op) {
    OpBuilder builder(op);
    auto half = [&](Type type) { return cast<RankedTensorType>(type).clone(builder.getF16Type()); };
    if (auto read = dyn_cast<ReadStateOp>(op)) {
      Type type = getElementTypeOrSelf(read.getType());
      if (type.isF16())
        return;
      read.getResult().setType(half(read.getType()));
      builder.setInsertionPointAfter(read);
      auto wide = builder.create<CastOp>(read.getLoc(), read.getResult(), type);
      read.getResult().replaceAllUsesExcept(wide, wide);
    } else if (auto write = dyn_cast<WriteStateOp>(op)) {
      if (!getElementTypeOrSelf(write.getData()).isF16())
        write.getDataMutable().assign(builder.create<CastOp>(write.getLoc(), write.getData(), builder.getF16Type()));
    }
  }
};
} // namespace
