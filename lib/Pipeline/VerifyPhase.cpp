//===- VerifyPhase.cpp - the contracts of the phases ----------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Origin.h"
#include "ane/Constraint/RunTimeCheck.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/Pipeline/Passes.h"
#include "ane/Pipeline/Pipelines.h"
#include "ane/Transforms/Passes.h"
#include "ane/Transforms/StateOrder.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::ane {
#define GEN_PASS_DEF_VERIFYPHASE
#include "ane/Pipeline/PipelinePasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Checks one phase. Reads only; every fault is one error.
class PhaseVerifier {
public:
  PhaseVerifier(ModuleOp module) : module(module), env(lookupTargetEnv(module)) {}

  LogicalResult verify(Phase phase) {
    buckets();
    checks();
    switch (phase) {
    case Phase::Input:
      input();
      break;
    case Phase::Canonical:
      canonical();
      break;
    case Phase::Legal:
      legal();
      break;
    case Phase::Partitioned:
      partitioned();
      break;
    case Phase::Emittable:
      partitioned();
      emittable();
      break;
    case Phase::Bundle: // files, which the runtime's reader verifies
      break;
    }
    return success(!failed);
  }

private:
  InFlightDiagnostic fault(Operation *op) {
    failed = true;
    return op->emitOpError();
  }

  /// Public functions with a body: what users call.
  SmallVector<func::FuncOp> plans() {
    SmallVector<func::FuncOp> list;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isPrivate() && !function.isExternal())
        list.push_back(function);
    return list;
  }

  /// What ane::markBuckets says of functions, and texts of phases repeat.
  void buckets() {
    for (func::FuncOp plan : plans()) {
      if (!attrs::bucket.isOn(plan))
        continue;
      for (unsigned i = 0; i < plan.getNumArguments(); ++i)
        if (!attrs::bucketAxes.ofArgument(plan, i))
          fault(plan) << "has an ane.bucket, but argument " << i << " no ane.bucket_axes";
      for (unsigned i = 0; i < plan.getNumResults(); ++i)
        if (!attrs::bucketAxes.ofResult(plan, i))
          fault(plan) << "has an ane.bucket, but result " << i << " no ane.bucket_axes";
    }
  }

  void checks() {
    for (func::FuncOp plan : plans())
      for (auto [i, type] : llvm::enumerate(plan.getResultTypes()))
        if (RunTimeCheck::of(plan, i) && !getElementTypeOrSelf(type).isSignlessInteger(64))
          fault(plan) << "has " << runTimeCheckName << " at result " << i << ", which is no i64";
  }

  void input() {
    if (plans().empty()) {
      failed = true;
      module.emitError() << "has no public function: nothing to compile";
    }
    for (func::FuncOp plan : plans()) {
      for (ArrayRef<Type> types : {plan.getArgumentTypes(), plan.getResultTypes()})
        for (Type type : types)
          if (auto tensor = dyn_cast<RankedTensorType>(type); !tensor || !tensor.hasStaticShape())
            fault(plan) << "has the type " << type << " at its border: models pass tensors of static shapes";
      for (Operation &op : plan.getOps()) {
        if (isa<IslandOp, EvalOp, func::CallOp>(op))
          fault(&op) << "belongs to a later phase: modules of phase input or canonical can be compiled";
        for (Type type : op.getResultTypes())
          if (auto tensor = dyn_cast<RankedTensorType>(type); !tensor || !tensor.hasStaticShape())
            fault(&op) << "gives " << type << ": phase input has tensors of static shapes";
      }
    }
  }

  /// What keeps the order of accesses from phase canonical on: a pass that breaks it is found here.
  void states() {
    for (func::FuncOp plan : plans())
      failed |= mlir::failed(verifyStateOrder(plan.front()));
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        function.walk([&](Operation *op) {
          if (isStateAccess(op) && (function.isPrivate() || op->getParentOp() != function.getOperation()))
            fault(op) << "can't stand here: from phase canonical on a plan accesses states, and hands their values on";
        });
  }

  void canonical() {
    for (func::FuncOp plan : plans()) {
      if (!plan.getBody().hasOneBlock())
        fault(plan) << "is not flat: phase canonical has one block";
      for (Operation &op : plan.front().without_terminator()) {
        if (!isa_and_nonnull<ANEDialect>(op.getDialect()) || isa<IslandOp, ProgramOp, EvalOp>(op))
          fault(&op) << "can't stand in phase canonical";
        if (isa<ShapeOp>(op))
          fault(&op) << "computes a shape at run time: shapes are static from phase canonical on";
        if (auto constant = dyn_cast<ConstOp>(op); constant && isa<DenseResourceElementsAttr>(constant.getValue()))
          fault(&op) << "holds its data in the IR: large constants are #ane.weight from phase canonical on";
        if (isConstantExpr(&op) && !movesWeight(&op))
          fault(&op) << "computes from constants alone: from phase canonical on such ops stand in an ane.blob; "
                        "remedy: --ane-seal-constants";
      }
    }
    states();
  }

  void legal() {
    for (func::FuncOp plan : plans())
      for (Operation &op : plan.front().without_terminator()) {
        if (auto island = dyn_cast<IslandOp>(op)) {
          for (Operation &computed : island.getEngine().front().without_terminator())
            if (!isConstantExpr(&computed) && originOf(&computed).empty())
              fault(&computed) << "does not say which op of the twin it comes from (ane.from)";
          SmallVector<Violation> violations = verifyLegalRegion(island.getEngine(), env, /*emittable=*/false);
          failed |= mlir::failed(reportViolations(violations, env));
        } else if (!isConstantExpr(&op) && !isStateAccess(&op) && !attrs::host.isOn(&op)) {
          fault(&op) << "is neither in an island nor marked for the CPU (ane.host)";
        }
      }
    states();
  }

  void partitioned() {
    for (func::FuncOp plan : plans())
      for (Operation &op : plan.front().without_terminator())
        if (!isa<EvalOp, func::CallOp>(op) && !isStateAccess(&op))
          fault(&op) << "computes in the plan: from phase partitioned on a plan only calls";
    states();
    for (auto program : module.getOps<ProgramOp>())
      for (auto procedure : program.getOps<func::FuncOp>()) {
        for (unsigned i = 0; i < procedure.getNumArguments(); ++i)
          if (!attrs::layout.ofArgument(procedure, i))
            fault(procedure) << "argument " << i << " has no ane.layout";
        for (unsigned i = 0; i < procedure.getNumResults(); ++i)
          if (!attrs::layout.ofResult(procedure, i))
            fault(procedure) << "result " << i << " has no ane.layout";
      }
  }

  void emittable() {
    for (auto program : module.getOps<ProgramOp>())
      for (auto procedure : program.getOps<func::FuncOp>()) {
        if (procedure.isExternal()) {
          fault(procedure) << "has no body";
          continue;
        }
        llvm::StringSet<> names;
        for (Operation &op : procedure.front().without_terminator()) {
          auto spelling = dyn_cast<MILSpellingOpInterface>(op);
          if (!spelling && !isa<ConstOp, BlobOp>(op))
            fault(&op) << "has no MIL spelling";
          if (spelling && spelling.getMinOpset() > env.getOpset())
            fault(&op) << "needs opset " << stringifyOpset(spelling.getMinOpset()) << ", the target has "
                       << stringifyOpset(env.getOpset());
          for (Attribute name : valueNames(&op))
            if (!names.insert(cast<StringAttr>(name).getValue()).second)
              fault(&op) << "has the name " << name << ", which is taken";
        }
        SmallVector<Violation> violations = verifyLegalRegion(procedure.getBody(), env, /*emittable=*/true);
        failed |= mlir::failed(reportViolations(violations, env));
      }
  }

  /// The names of an op's results; an error if they are missing.
  ArrayRef<Attribute> valueNames(Operation *op) {
    Attribute attr = attrs::name.get(op);
    if (auto list = dyn_cast_or_null<ArrayAttr>(attr))
      return list.getValue();
    if (!isa_and_nonnull<StringAttr>(attr)) {
      fault(op) << "has no ane.name";
      return {};
    }
    single = attr;
    return single;
  }

  ModuleOp module;
  TargetEnv env;
  Attribute single;
  bool failed = false;
};

struct VerifyPhase : mlir::ane::impl::VerifyPhaseBase<VerifyPhase> {
  using VerifyPhaseBase::VerifyPhaseBase;
  void runOnOperation() override {
    std::optional<Phase> checked = findPhase(phase);
    if (!checked) {
      getOperation().emitError() << "no phase '" << phase << "'";
      return signalPassFailure();
    }
    if (failed(mlir::verify(getOperation())) || failed(PhaseVerifier(getOperation()).verify(*checked)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
