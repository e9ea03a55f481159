//===- Codegen.h - LLVM modules to machine code ----------------*- C++ -*-===//
//
// A library is made of one object file for each kernel and one, the driver, that holds what the library exports.
// Kernels know nothing of each other: they are compiled side by side, each in an LLVM context of its own.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_HOST_CODEGEN_H
#define ANE_LIB_HOST_CODEGEN_H

#include "Plan.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/CodeGen.h"

namespace llvm {
class Target;
class TargetMachine;
} // namespace llvm

namespace mlir::ane::host {

/// A relocatable object file.
using Object = SmallVector<char, 0>;

/// LLVM's code generator for a target, or null if LLVM was built without it.
const llvm::Target *llvmTargetOf(const HostTarget &target);

/// The loader's table (runtime/include/ane/runtime/host_abi.h): a variable of the driver that kernels read.
llvm::GlobalVariable *declareTable(llvm::Module &module);

/// Runs LLVM's passes before code generation.
void optimise(llvm::Module &module, llvm::TargetMachine &machine);

/// Optimises, unless `level` is None, and compiles all of `module`.
FailureOr<Object> emitObject(llvm::Module &module, const HostTarget &target, function_ref<InFlightDiagnostic()> error,
                             llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Aggressive);

/// Lowers a module with one kernel to the LLVM dialect; an error names what could not be lowered.
void buildLowering(OpPassManager &pm);

/// Compiles kernel `name` and the functions that it calls, all there is in `lowered`.
FailureOr<Object> emitKernel(ModuleOp lowered, StringRef name, const HostTarget &target);

/// A kernel to compile, and its object for each machine that is wanted.
struct KernelJob {
  std::string name;
  llvm::MapVector<const HostTarget *, Object> objects;
  /// Where the cache, if there is one, keeps them.
  llvm::DenseMap<const HostTarget *, std::string> paths;
};

class KernelCache;

/// Loads what compileKernels() needs. Not to be done while other threads work: what prints an op or a type, as the
/// error of a thread that writes weights may, looks at all dialects.
void loadLoweringDialects(MLIRContext *context);

/// Compiles the functions of `kernels`, which it empties: one for each job and in the same order. On all threads of the
/// context, whose number changes no byte. Gives the number of jobs that needed no work, thanks to the cache.
FailureOr<size_t> compileKernels(ModuleOp kernels, MutableArrayRef<KernelJob> jobs, const KernelCache &cache,
                                 const std::function<void(size_t done, size_t all)> &progress);

/// Compiles a function for each plan, which calls `kernels` by their numbers.
FailureOr<Object> emitDriver(ArrayRef<std::string> kernels, ArrayRef<FunctionPlan> functions, unsigned weightFile,
                             const HostTarget &target, function_ref<InFlightDiagnostic()> error);

/// Links objects into a shared library that has no undefined symbol.
LogicalResult linkLibrary(ArrayRef<const Object *> objects, StringRef path, const HostTarget &target,
                          function_ref<InFlightDiagnostic()> error);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_CODEGEN_H
