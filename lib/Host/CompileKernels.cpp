//===- CompileKernels.cpp - all kernels, side by side ---------------------===//

#include "KernelCache.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include <mutex>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {
/// Shared by the copies of the pass, one for each thread.
struct Jobs {
  MutableArrayRef<KernelJob> jobs;
  const KernelCache &cache;
  const std::function<void(size_t done, size_t all)> &progress;
  std::mutex mutex;
  size_t done = 0;

  void addDone() {
    std::lock_guard<std::mutex> lock(mutex);
    ++done;
    if (progress)
      progress(done, jobs.size());
  }
};

/// Takes what it can from the cache; returns whether that was all.
bool takeFromCache(func::FuncOp kernel, KernelJob &job, const KernelCache &cache) {
  if (!cache)
    return false;
  bool all = true;
  std::string key = KernelCache::keyOf(kernel);
  for (auto &[target, object] : job.objects) {
    std::string path = cache.pathOf(key, *target);
    if (std::optional<Object> found = cache.find(path))
      object = std::move(*found);
    else
      all = false;
    job.paths[target] = std::move(path);
  }
  return all;
}

void registerTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerOpenMPDialectTranslation(registry);
}

/// Ends the pipeline of a kernel's module: makes its objects.
struct EmitObjects : PassWrapper<EmitObjects, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitObjects)
  StringRef getArgument() const override { return "host-emit-objects"; }

  explicit EmitObjects(Jobs &shared) : shared(shared) {}

  void getDependentDialects(DialectRegistry &registry) const override { registerTranslations(registry); }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    KernelJob &job = shared.jobs[module->getAttrOfType<IntegerAttr>(jobMark).getInt()];
    for (auto &[target, object] : job.objects) {
      if (!object.empty())
        continue; // from the cache
      FailureOr<Object> made = emitKernel(module, job.name, *target);
      if (failed(made))
        return signalPassFailure();
      object = std::move(*made);
      if (shared.cache)
        shared.cache.keep(job.paths[target], object);
    }
    // Its memory is free for the next one.
    module.getBody()->clear();
    shared.addDone();
  }

private:
  Jobs &shared;
};
} // namespace

void host::loadLoweringDialects(MLIRContext *context) {
  OpPassManager passes(ModuleOp::getOperationName());
  buildLowering(passes);
  DialectRegistry registry;
  passes.getDependentDialects(registry);
  registerTranslations(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

FailureOr<size_t> host::compileKernels(ModuleOp kernels, MutableArrayRef<KernelJob> jobs, const KernelCache &cache,
                                       const std::function<void(size_t done, size_t all)> &progress) {
  Jobs shared{jobs, cache, progress};
  // A module for each: the pass manager takes them side by side.
  OpBuilder b(kernels.getContext());
  SmallVector<func::FuncOp> functions(kernels.getOps<func::FuncOp>());
  for (auto [i, function] : llvm::enumerate(functions)) {
    if (takeFromCache(function, jobs[i], cache)) {
      function.erase();
      shared.addDone();
      continue;
    }
    b.setInsertionPointToEnd(kernels.getBody());
    auto module = b.create<ModuleOp>(function.getLoc());
    module->setAttr(jobMark, b.getIndexAttr(i));
    function->moveBefore(module.getBody(), module.getBody()->end());
  }
  size_t taken = shared.done;
  PassManager pm(kernels.getContext());
#ifdef NDEBUG
  pm.enableVerifier(false);
#endif
  OpPassManager &each = pm.nest<ModuleOp>();
  buildLowering(each);
  each.addPass(std::make_unique<EmitObjects>(shared));
  if (failed(pm.run(kernels)))
    return failure();
  return taken;
}
