//===- OutlinePackage.cpp - functions into the program of a package -------===//

#include "ane/IR/DialectAttrs.h"
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
    for (StateOp state : llvm::make_early_inc_range(getOperation().getOps<StateOp>()))
      state->moveBefore(&body, body.begin());
  }
};
} // namespace
