//===- HostCompiler.cpp - native code for CPU functions -------------------===//

#include "Plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

static void loadDialects(MLIRContext *context) {
  context->loadDialect<arith::ArithDialect, bufferization::BufferizationDialect, LLVM::LLVMDialect,
                       linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect, omp::OpenMPDialect,
                       scf::SCFDialect, tensor::TensorDialect, vector::VectorDialect>();
}

namespace {
/// Kernels and plans for one kind of registers; targets that share a table share them.
struct Variant {
  Variant(MLIRContext *context, const TileTable &tiles) : tiles(tiles), code(context) {}
  const TileTable &tiles;
  CodeModule code;
  std::vector<FunctionPlan> plans;
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

static LogicalResult emitLibraries(Variant &variant, const HostOptions &options, HostBuild &build) {
  if (failed(lowerKernels(*variant.code.module)))
    return failure();
  for (const HostTarget *target : options.targets) {
    if (target->tiles != &variant.tiles)
      continue;
    build.libraries.push_back({target, options.libraryPath(*target)});
    if (failed(emitLibrary(*variant.code.module, variant.code.names, variant.plans, options.weightFile, *target,
                           build.libraries.back().path)))
      return failure();
  }
  return success();
}

FailureOr<HostBuild> ane::compileHost(ModuleOp module, ArrayRef<func::FuncOp> functions, const HostOptions &options,
                                      HostWeightSink &sink) {
  MLIRContext *context = module.getContext();
  loadDialects(context);
  std::vector<Variant> variants;
  for (const HostTarget *target : options.targets)
    if (llvm::none_of(variants, [&](const Variant &variant) { return &variant.tiles == target->tiles; }))
      variants.emplace_back(context, *target->tiles);
  assert(!variants.empty() && "no target");
  WeightPacker weights(sink);
  HostBuild build;
  for (func::FuncOp function : functions) {
    // The caller's function stays as it is.
    OwningOpRef<ModuleOp> scratch = ModuleOp::create(function.getLoc());
    func::FuncOp copy = function.clone();
    scratch->push_back(copy);
    if (failed(prepareFunction(copy)))
      return failure();
    for (Variant &variant : variants) {
      FailureOr<FunctionPlan> plan = planFunction(copy, options, variant.tiles, variant.code, weights);
      if (failed(plan))
        return failure();
      variant.plans.push_back(std::move(*plan));
    }
    addFunction(build, variants);
  }
  build.kernels = variants.front().code.names.size();
  build.weightBytes = weights.bytes;
  if (options.printKernels) {
    for (Variant &variant : variants)
      variant.code.module->print(*options.printKernels);
    return build;
  }
  sink.complete();
  for (Variant &variant : variants) {
    if (failed(emitLibraries(variant, options, build))) {
      for (const HostLibrary &library : build.libraries)
        llvm::sys::fs::remove(library.path);
      return failure();
    }
    // Its memory is free for the next one.
    variant.code.module = nullptr;
  }
  auto place = [&](const HostLibrary &library) { return llvm::find(options.targets, library.target); };
  llvm::sort(build.libraries, [&](const HostLibrary &a, const HostLibrary &b) { return place(a) < place(b); });
  return build;
}
