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

FailureOr<HostBuild> ane::compileHost(ModuleOp module, ArrayRef<func::FuncOp> functions, const HostOptions &options,
                                      HostWeightSink &sink) {
  MLIRContext *context = module.getContext();
  loadDialects(context);
  CodeModule code(context);
  WeightPacker weights(sink);
  HostBuild build;
  std::vector<FunctionPlan> plans;
  for (func::FuncOp function : functions) {
    // The caller's function stays as it is.
    OwningOpRef<ModuleOp> scratch = ModuleOp::create(function.getLoc());
    func::FuncOp copy = function.clone();
    scratch->push_back(copy);
    if (failed(prepareFunction(copy)))
      return failure();
    FailureOr<FunctionPlan> plan = planFunction(copy, options, code, weights);
    if (failed(plan))
      return failure();
    // Apart from the names of the contract itself.
    plan->signature.symbol = "ane_function_" + plan->signature.name;
    build.calls += plan->calls.size();
    build.functions.push_back(plan->signature);
    plans.push_back(std::move(*plan));
  }
  build.kernels = code.names.size();
  build.weightBytes = weights.bytes;
  if (options.printKernels) {
    code.module->print(*options.printKernels);
    return build;
  }
  if (failed(lowerKernels(*code.module)))
    return failure();
  for (const std::string &triple : options.triples) {
    std::string path = options.libraryPath(triple);
    if (failed(emitLibrary(*code.module, code.names, plans, options.weightFile, triple, path))) {
      llvm::sys::fs::remove(path);
      for (const HostLibrary &library : build.libraries)
        llvm::sys::fs::remove(library.path);
      return failure();
    }
    build.libraries.push_back({triple, path});
  }
  return build;
}
