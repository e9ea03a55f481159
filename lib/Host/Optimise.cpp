//===- Optimise.cpp - LLVM's passes over a kernel -------------------------===//

#include "Codegen.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

// Emitters write loops as they should run, unrolled and in vectors where that pays. Of -O3 stays what cleans up after
// the lowering, inlines the bodies of loops, moves what does not change out of loops, and makes vectors of loops over
// single values. LLVM's full unrolling costs 12-40 % of the bandwidth (cpu-codegen.md 1, trap 1).
static constexpr StringLiteral pipeline =
    "function<eager-inv>(sroa<modify-cfg>,early-cse,simplifycfg,instcombine<no-verify-fixpoint>),"
    "cgscc(inline),"
    "function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,loop-mssa(loop-rotate,licm),"
    "loop-vectorize,instcombine<no-verify-fixpoint>,loop-mssa(licm),early-cse<memssa>,simplifycfg)";

namespace {
/// Hides from loops how the integers that they take from outside were computed, which no later pass needs to know.
/// Rows of a tile begin at quotients and remainders, and strength reduction would carry those of all rows through all
/// its formulas.
struct HideInvariants : llvm::PassInfoMixin<HideInvariants> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
    const auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
    for (llvm::Instruction &value : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (!value.getType()->isIntegerTy() || isa<llvm::PHINode>(value) || value.isTerminator())
        continue;
      unsigned depth = loops.getLoopDepth(value.getParent());
      auto isDeeper = [&](llvm::Use &use) {
        return loops.getLoopDepth(cast<llvm::Instruction>(use.getUser())->getParent()) > depth;
      };
      if (llvm::none_of(value.uses(), isDeeper))
        continue;
      auto *hidden = new llvm::FreezeInst(&value, "", std::next(value.getIterator()));
      value.replaceUsesWithIf(hidden, isDeeper);
    }
    return llvm::PreservedAnalyses::none();
  }
};
} // namespace

void host::optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  // No library function is known: none may be called.
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, pipeline));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(HideInvariants()));
  passes.run(module, modules);
}
