//===- Codegen.cpp - LLVM IR to a shared library --------------------------===//

#include "Plan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "runtime/include/ane/runtime/host_abi.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {

/// Adds the exported functions to a module of kernels.
class LibraryBuilder {
public:
  LibraryBuilder(llvm::Module &module, ArrayRef<std::string> kernels, unsigned weightFile)
      : module(module), builder(module.getContext()), kernels(kernels), weightFile(weightFile) {}
  void run(ArrayRef<FunctionPlan> functions);

private:
  llvm::Module &module;
  llvm::IRBuilder<> builder;
  ArrayRef<std::string> kernels;
  unsigned weightFile;
  llvm::GlobalVariable *table = nullptr;

  llvm::PointerType *pointer() { return builder.getPtrTy(); }
  llvm::Value *member(llvm::Value *base, uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
  }
  llvm::Function *exported(StringRef name, llvm::Type *result, ArrayRef<llvm::Type *> arguments);
  void redirect(StringRef name, size_t tableOffset);
  void addMinimum(StringRef name, llvm::CmpInst::Predicate isResult);
  void addDriver(const FunctionPlan &plan);
};

} // namespace

llvm::Function *LibraryBuilder::exported(StringRef name, llvm::Type *result, ArrayRef<llvm::Type *> arguments) {
  auto *type = llvm::FunctionType::get(result, arguments, false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  return function;
}

/// Calls of `name` go through the loader's table instead of a symbol.
void LibraryBuilder::redirect(StringRef name, size_t tableOffset) {
  llvm::Function *function = module.getFunction(name);
  if (!function)
    return;
  for (llvm::User *user : llvm::make_early_inc_range(function->users())) {
    auto *call = cast<llvm::CallInst>(user);
    builder.SetInsertPoint(call);
    llvm::Value *base = builder.CreateLoad(pointer(), table);
    llvm::Value *target = builder.CreateLoad(pointer(), member(base, tableOffset));
    SmallVector<llvm::Value *> arguments(call->args());
    // The variadic fork call passes one captured pointer or none.
    if (name == "__kmpc_fork_call" && arguments.size() == 3)
      arguments.push_back(llvm::ConstantPointerNull::get(pointer()));
    SmallVector<llvm::Type *> types;
    for (llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    auto *type = llvm::FunctionType::get(call->getType(), types, false);
    llvm::CallInst *indirect = builder.CreateCall(type, target, arguments);
    call->replaceAllUsesWith(indirect);
    call->eraseFromParent();
  }
  function->eraseFromParent();
}

void LibraryBuilder::addDriver(const FunctionPlan &plan) {
  llvm::Function *driver = exported(plan.signature.symbol, builder.getVoidTy(), {pointer(), pointer()});
  llvm::Value *args = driver->getArg(0), *context = driver->getArg(1);
  llvm::Value *files = builder.CreateLoad(pointer(), member(context, offsetof(ane_host_context, weights)));
  llvm::Value *arena = builder.CreateLoad(pointer(), member(context, offsetof(ane_host_context, arena)));
  llvm::Value *weights = nullptr;
  for (const Call &call : plan.calls) {
    llvm::Function *kernel = module.getFunction(kernels[call.kernel]);
    SmallVector<llvm::Value *> arguments;
    for (const Address &address : call.arguments) {
      switch (address.base) {
      case Address::Argument:
        arguments.push_back(builder.CreateLoad(pointer(), member(args, address.value * sizeof(void *))));
        break;
      case Address::Arena:
        arguments.push_back(member(arena, address.value));
        break;
      case Address::Weights:
        if (!weights)
          weights = builder.CreateLoad(pointer(), member(files, weightFile * sizeof(void *)));
        arguments.push_back(member(weights, address.value));
        break;
      }
    }
    builder.CreateCall(kernel, arguments);
  }
  builder.CreateRetVoid();
}

/// LLVM calls these two for minima of single fp16 values, which it makes of comparisons where x86 has no such
/// instruction.
void LibraryBuilder::addMinimum(StringRef name, llvm::CmpInst::Predicate isResult) {
  llvm::Type *type = builder.getFloatTy();
  llvm::Function *function = exported(name, type, {type, type});
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  llvm::Value *x = function->getArg(0), *y = function->getArg(1);
  llvm::Value *nearer = builder.CreateSelect(builder.CreateFCmp(isResult, x, y), x, y);
  builder.CreateRet(builder.CreateSelect(builder.CreateFCmpUNO(y, y), x, nearer));
}

void LibraryBuilder::run(ArrayRef<FunctionPlan> functions) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  // Inlined, kernels would make functions of deep models as long as the models, and the time to optimise them is not
  // linear.
  for (StringRef kernel : kernels)
    module.getFunction(kernel)->addFnAttr(llvm::Attribute::NoInline);
  addMinimum("fminf", llvm::CmpInst::FCMP_OLT);
  addMinimum("fmaxf", llvm::CmpInst::FCMP_OGT);
  table = new llvm::GlobalVariable(module, pointer(), false, llvm::GlobalValue::InternalLinkage,
                                   llvm::ConstantPointerNull::get(pointer()), "table");
  redirect("__kmpc_fork_call", offsetof(ane_host_table, fork_call));
  redirect("__kmpc_global_thread_num", offsetof(ane_host_table, global_thread_num));
  redirect("__kmpc_for_static_init_8u", offsetof(ane_host_table, for_static_init_8u));
  redirect("__kmpc_for_static_fini", offsetof(ane_host_table, for_static_fini));
  redirect("__kmpc_barrier", offsetof(ane_host_table, barrier));

  exported(ANE_HOST_ABI_SYMBOL, builder.getInt32Ty(), {});
  builder.CreateRet(builder.getInt32(ANE_HOST_ABI_VERSION));
  llvm::Function *init = exported(ANE_HOST_INIT_SYMBOL, builder.getVoidTy(), {pointer()});
  builder.CreateStore(init->getArg(0), table);
  builder.CreateRetVoid();
  for (const FunctionPlan &plan : functions)
    addDriver(plan);
}

//===-- machine code ------------------------------------------------------===//

static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  // Loops are unrolled by the emitters; LLVM's full unrolling costs 12-40 % of the bandwidth (cpu-codegen.md 1, trap
  // 1).
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = true;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = false;
  llvm::PassBuilder passes(&machine, tuning);
  // No library function is known: none may be called.
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(sccs);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, sccs, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

LogicalResult host::emitLibrary(ModuleOp lowered, ArrayRef<std::string> kernelNames, ArrayRef<FunctionPlan> functions,
                                unsigned weightFile, const HostTarget &target, StringRef path) {
  auto error = [&]() { return emitError(lowered.getLoc()); };
  const llvm::Target *backend = llvmTargetOf(target);
  assert(backend && "checked by findHostTargets");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      target.llvmTriple, target.cpu, "", options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));

  MLIRContext *context = lowered.getContext();
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  registerOpenMPDialectTranslation(*context);
  // The lowering to LLVM IR reads the layout from the module.
  lowered->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                   StringAttr::get(context, machine->createDataLayout().getStringRepresentation()));
  lowered->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(), StringAttr::get(context, target.llvmTriple));
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(lowered, llvmContext, "anemone-host");
  if (!module)
    return failure();
  LibraryBuilder(*module, kernelNames, weightFile).run(functions);
  std::string problems;
  llvm::raw_string_ostream problemStream(problems);
  if (llvm::verifyModule(*module, &problemStream))
    return error() << "generated CPU code is malformed: " << problems, failure();
  for (llvm::Function &function : *module) {
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("no-builtins");
    // Processes without a stack guard or unwinder must be able to load the library.
    function.setDoesNotThrow();
  }
  optimise(*module, *machine);

  SmallString<128> object;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("anemone-host", "o", object))
    return error() << "can't create a temporary object file: " << code.message(), failure();
  llvm::FileRemover remover(object);
  {
    std::error_code code;
    llvm::raw_fd_ostream stream(object, code);
    llvm::legacy::PassManager emitter;
    if (code || machine->addPassesToEmitFile(emitter, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
      return error() << "can't write object file '" << object << "': " << code.message(), failure();
    emitter.run(*module);
    stream.flush();
    if (stream.has_error()) {
      code = stream.error();
      stream.clear_error();
      return error() << "can't write object file '" << object << "': " << code.message(), failure();
    }
  }
  return linkLibrary(object, path, target, error);
}
