//===- HostCompiler.cpp - native code for CPU functions -------------------===//

#include "KernelCache.h"
#include "ane/Host/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include <set>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

static void loadDialects(MLIRContext *context) {
  context->loadDialect<HostDialect, arith::ArithDialect, LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                       omp::OpenMPDialect, scf::SCFDialect, vector::VectorDialect>();
}

void mlir::ane::buildHostStages(OpPassManager &pm, bool f64, bool f32) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  if (f32)
    functions.addPass(createHostNarrow());
  // The reference in double rounds no constant in between, either.
  if (!f64)
    functions.addPass(createHostConstants());
  functions.addPass(createHostPrepare());
  functions.addPass(createHostLayout());
  functions.addPass(createHostCluster());
}

namespace {
/// Plans for one kind of registers, and of products if rows are rounded; targets that have the same share them.
struct Variant {
  Variant(const TileTable &tiles, const ByteProducts *bytes) : tiles(tiles), bytes(bytes) {}
  const TileTable &tiles;
  const ByteProducts *bytes; // of KernelContext
  std::vector<FunctionPlan> plans;

  /// The numbers of the kernels that the plans call.
  std::set<unsigned> kernels() const {
    std::set<unsigned> called;
    for (const FunctionPlan &plan : plans)
      for (const Call &call : plan.calls)
        called.insert(call.kernel);
    return called;
  }
  bool isRounded() const {
    return llvm::any_of(plans, [](const FunctionPlan &plan) { return plan.isRounded; });
  }
};
} // namespace

/// Enters a function's plans for all variants. Its arena is the largest of theirs.
static void addFunction(HostBuild &build, MutableArrayRef<Variant> variants) {
  uint64_t arena = 0;
  for (Variant &variant : variants) {
    HostFunction &signature = variant.plans.back().signature;
    // Apart from the names of the contract itself.
    signature.symbol = "ane_function_" + signature.name;
    arena = std::max(arena, signature.arenaBytes);
  }
  build.calls += variants.front().plans.back().calls.size();
  build.functions.push_back(variants.front().plans.back().signature);
  build.functions.back().arenaBytes = arena;
}

namespace {
/// Who compiles a kernel for a target. Features beyond those of a processor's level change kernels that name
/// instructions; the others are compiled once, for the target without.
class Compilers {
public:
  Compilers(ArrayRef<const HostTarget *> targets, CodeModule &code) : targets(targets) {
    for (func::FuncOp function : code.module->getOps<func::FuncOp>())
      if (function.walk([](LLVM::CallIntrinsicOp) { return WalkResult::interrupt(); }).wasInterrupted())
        naming.insert(function.getName());
  }

  const HostTarget *of(StringRef kernel, const HostTarget *target) const {
    if (target->features.empty() || naming.contains(kernel))
      return target;
    auto isPlain = [&](const HostTarget *other) {
      return other->features.empty() && other->llvmTriple == target->llvmTriple && other->cpu == target->cpu &&
             other->tiles == target->tiles;
    };
    auto plain = llvm::find_if(targets, isPlain);
    return plain == targets.end() ? target : *plain;
  }
  /// Whether another target's library of these kernels is the same.
  bool isSpare(const HostTarget *target) const { return naming.empty() && of("", target) != target; }

private:
  ArrayRef<const HostTarget *> targets;
  llvm::StringSet<> naming;
};
} // namespace

/// What `target` calls of `variant` and of its driver, in the order of numbers.
static LogicalResult emitLibrary(const Variant &variant, const CodeModule &code, ArrayRef<KernelJob> jobs,
                                 const Compilers &compilers, unsigned weightFile, const HostLibrary &library) {
  auto error = [&] { return emitError(code.module.get().getLoc()); };
  FailureOr<Object> driver = emitDriver(code.names, variant.plans, weightFile, *library.target, error);
  if (failed(driver))
    return failure();
  std::vector<const Object *> objects{&*driver};
  for (unsigned kernel : variant.kernels())
    objects.push_back(&jobs[kernel].objects.find(compilers.of(code.names[kernel], library.target))->second);
  return linkLibrary(objects, library.path, *library.target, error);
}

FailureOr<HostBuild> mlir::ane::compileHost(ModuleOp module, ArrayRef<func::FuncOp> functions,
                                            const HostOptions &options, HostWeightSink &sink) {
  std::vector<HostWeight> weights;
  return compileHost(module, functions, options, sink, weights);
}

FailureOr<HostBuild> mlir::ane::compileHost(ModuleOp module, ArrayRef<func::FuncOp> functions,
                                            const HostOptions &options, HostWeightSink &sink,
                                            std::vector<HostWeight> &described) {
  MLIRContext *context = module.getContext();
  loadDialects(context);
  std::vector<Variant> variants;
  auto bytesOf = [&](const HostTarget *target) {
    bool isUsed = options.activations == ActivationKind::Int8 || !target->bytes->addQuads.empty();
    return isUsed ? target->bytes : nullptr;
  };
  auto variantOf = [&](const HostTarget *target) {
    return llvm::find_if(variants, [&](const Variant &variant) {
      return &variant.tiles == target->tiles && variant.bytes == bytesOf(target);
    });
  };
  for (const HostTarget *target : options.targets)
    if (variantOf(target) == variants.end())
      variants.emplace_back(*target->tiles, bytesOf(target));
  assert(!variants.empty() && "no target");
  CodeModule code(context);
  WeightPacker weights(sink);
  HostBuild build;
  PassManager stages(context);
#ifdef NDEBUG
  stages.enableVerifier(false);
#endif
  buildHostStages(stages, options.f64, options.f32);
  for (func::FuncOp function : functions) {
    weights.reader = function.getName().str();
    // The caller's function stays as it is.
    OwningOpRef<ModuleOp> scratch = ModuleOp::create(function.getLoc());
    func::FuncOp copy = function.clone();
    scratch->push_back(copy);
    if (failed(stages.run(*scratch)))
      return failure();
    for (Variant &variant : variants) {
      FailureOr<FunctionPlan> plan = planFunction(copy, options, variant.tiles, variant.bytes, code, weights);
      if (failed(plan))
        return failure();
      variant.plans.push_back(std::move(*plan));
    }
    addFunction(build, variants);
  }
  build.kernels = variants.front().kernels().size();
  build.kernelsEmitted = code.emitted;
  build.weightBytes = weights.bytes;
  described = std::move(weights.entries);
  if (options.printKernels) {
    code.module->print(*options.printKernels);
    return build;
  }
  loadLoweringDialects(context);
  sink.complete();

  std::vector<KernelJob> jobs(code.names.size());
  for (auto [job, name] : llvm::zip_equal(jobs, code.names))
    job.name = name;
  Compilers compilers(options.targets, code);
  std::vector<const HostTarget *> targets;
  llvm::copy_if(options.targets, std::back_inserter(targets), [&](auto *target) { return !compilers.isSpare(target); });
  for (const HostTarget *target : targets)
    for (unsigned kernel : variantOf(target)->kernels())
      jobs[kernel].objects.insert({compilers.of(code.names[kernel], target), {}});
  KernelCache cache(options.kernelCache);
  FailureOr<size_t> taken = compileKernels(*code.module, jobs, cache, options.progress);
  if (failed(taken))
    return failure();
  build.kernelsFromCache = *taken;
  for (const HostTarget *target : targets) {
    build.libraries.push_back({target, options.libraryPath(*target), variantOf(target)->isRounded()});
    if (failed(emitLibrary(*variantOf(target), code, jobs, compilers, options.weightFile, build.libraries.back()))) {
      for (const HostLibrary &library : build.libraries)
        llvm::sys::fs::remove(library.path);
      return failure();
    }
  }
  return build;
}
