//===- SetTarget.cpp - attach the target attribute ------------------------===//

#include "ane/Constraint/TargetEnv.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_SETTARGET
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct SetTarget : mlir::ane::impl::SetTargetBase<SetTarget> {
  using SetTargetBase::SetTargetBase;
  void runOnOperation() override {
    std::optional<Strictness> level = symbolizeStrictness(strictness);
    if (!level) {
      getOperation().emitError() << "no strictness '" << strictness << "': catalog or evidence";
      return signalPassFailure();
    }
    std::string error;
    FailureOr<Route> way = parseRoute(route, error);
    FailureOr<TargetAttr> target = failure();
    if (succeeded(way))
      target = parseTarget(&getContext(), chip, error, *way, os, *level);
    FailureOr<ArrayAttr> rules = failure();
    if (succeeded(target))
      rules = parseKeep(&getContext(), std::vector<std::string>(keep.begin(), keep.end()), error);
    if (failed(rules)) {
      getOperation().emitError() << error;
      return signalPassFailure();
    }
    setTarget(getOperation(), *target, *rules);
    setPreference(getOperation(), preferSpeed);
  }
};
} // namespace
