//===- LowerKernels.cpp - kernels to the LLVM dialect ---------------------===//

#include "Codegen.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// Moves the body of a marked loop into a function of its induction variable and what it captures.
static void outlineBody(Operation *loop, StringRef name) {
  Location loc = loop->getLoc();
  Region &region = loop->getRegion(0);
  Block &body = region.front();
  // Constants move along: as arguments they would hide the shape of the loops.
  OpBuilder b(&body, body.begin());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(region, captured);
  SmallVector<Value> arguments{body.getArgument(0)};
  for (Value value : captured) {
    Operation *producer = value.getDefiningOp();
    if (!producer || !producer->hasTrait<OpTrait::ConstantLike>()) {
      arguments.push_back(value);
      continue;
    }
    Value clone = b.clone(*producer)->getResult(0);
    value.replaceUsesWithIf(clone,
                            [&](OpOperand &use) { return region.isAncestor(use.getOwner()->getParentRegion()); });
  }
  auto parent = loop->getParentOfType<func::FuncOp>();
  b.setInsertionPoint(parent);
  auto function = b.create<func::FuncOp>(loc, name, b.getFunctionType(TypeRange(arguments), {}));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  IRMapping mapping;
  mapping.map(arguments, entry->getArguments());
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (isa<MemRefType>(argument.getType()))
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  b.setInsertionPointToEnd(entry);
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  b.create<func::ReturnOp>(loc);
  while (&body.front() != body.getTerminator())
    std::prev(body.getTerminator()->getIterator())->erase();
  b.setInsertionPointToStart(&body);
  b.create<func::CallOp>(loc, function, arguments);
  loop->removeAttr(outlineMark);
}

namespace {
struct OutlineBodies : PassWrapper<OutlineBodies, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutlineBodies)
  StringRef getArgument() const override { return "host-outline-bodies"; }

  void runOnOperation() override {
    SmallVector<Operation *> loops;
    getOperation().walk([&](Operation *op) {
      if (op->hasAttr(outlineMark))
        loops.push_back(op);
    });
    for (auto [i, loop] : llvm::enumerate(loops))
      outlineBody(loop, (loop->getParentOfType<func::FuncOp>().getName() + "_body" + Twine(i)).str());
  }
};

/// An op that no pattern took would otherwise surface as a translation error without a name.
struct CheckLowered : PassWrapper<CheckLowered, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckLowered)
  StringRef getArgument() const override { return "host-check-lowered"; }

  void runOnOperation() override {
    WalkResult left = getOperation().walk([&](Operation *op) {
      StringRef dialect = op->getName().getDialectNamespace();
      if (op == getOperation() || dialect == "llvm" || dialect == "omp")
        return WalkResult::advance();
      op->emitError() << "was not lowered to machine code by the CPU code generator";
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

void host::buildLowering(OpPassManager &pm) {
  // Kernels have no unreachable or equal blocks: to look for them takes a third of the canonicaliser's time.
  GreedyRewriteConfig rewriting;
  rewriting.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
  pm.addPass(std::make_unique<OutlineBodies>());
  pm.addPass(createCanonicalizerPass(rewriting));
  pm.addPass(createCSEPass());
  pm.addPass(createConvertSCFToOpenMPPass());
  // The scopes that the conversion makes hold no stack memory and must go before loops become blocks.
  pm.addPass(createCanonicalizerPass(rewriting));
  pm.addPass(createConvertVectorToSCFPass(VectorTransferToSCFOptions().enableFullUnroll()));
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertSCFToCFPass());
  ConvertVectorToLLVMPassOptions vectors;
  vectors.reassociateFPReductions = true;
  pm.addPass(createConvertVectorToLLVMPass(vectors));
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(functions));
  pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass(rewriting));
  pm.addPass(createCSEPass());
  pm.addPass(std::make_unique<CheckLowered>());
}
