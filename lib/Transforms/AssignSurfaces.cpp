//===- AssignSurfaces.cpp - allocations behind inputs and outputs ---------===//

#include "ane/Constraint/Constraints.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/FunctionAttrs.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_ASSIGNSURFACES
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct AssignSurfaces : mlir::ane::impl::AssignSurfacesBase<AssignSurfaces> {
  using AssignSurfacesBase::AssignSurfacesBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    for (auto program : getOperation().getOps<ProgramOp>())
      for (auto function : program.getBody().getOps<func::FuncOp>()) {
        setArgAttrs(function, attrs::surface,
                    assign(function.getArgumentTypes(), isEnforced(ConstraintID::C18, env), env));
        setResultAttrs(function, attrs::surface,
                       assign(function.getResultTypes(), isEnforced(ConstraintID::C02, env), env));
      }
  }

  SmallVector<Attribute> assign(TypeRange types, bool uniform, const TargetEnv &env) {
    int64_t minimum = isEnforced(ConstraintID::C04, env) ? env.limit(Limit::MinSurfaceBytes) : 0;
    SmallVector<std::pair<int64_t, int64_t>> sizes; // row stride, bytes
    int64_t largest = 0;
    for (Type type : types) {
      auto tensor = cast<RankedTensorType>(type);
      int64_t width = tensor.getShape().back(), rows = tensor.getNumElements() / width;
      int64_t stride = llvm::alignTo(width * elementBytes(tensor.getElementType()), env.limit(Limit::RowBytes));
      int64_t bytes = llvm::alignTo(std::max(rows * stride, minimum), env.limit(Limit::SurfaceAlignment));
      sizes.push_back({stride, bytes});
      largest = std::max(largest, bytes);
    }
    SmallVector<Attribute> surfaces;
    for (auto [stride, bytes] : sizes)
      surfaces.push_back(SurfaceAttr::get(&getContext(), stride, uniform ? largest : bytes));
    return surfaces;
  }
};
} // namespace
