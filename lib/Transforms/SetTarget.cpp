//===- SetTarget.cpp - attach the target attribute ------------------------===//

#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_SETTARGET
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct SetTarget : ane::impl::SetTargetBase<SetTarget> {
  using SetTargetBase::SetTargetBase;
  void runOnOperation() override {
    getOperation()->setAttr("ane.target",
                            TargetAttr::get(&getContext(), chip, Route::InMemory, os, Opset::ios16, Strictness::Catalog));
  }
};
} // namespace
