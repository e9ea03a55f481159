//===- Codegen.cpp - LLVM modules to machine code -------------------------===//

#include "Codegen.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "runtime/include/ane/runtime/host_abi.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

//===-- machine code ------------------------------------------------------===//

static std::unique_ptr<llvm::TargetMachine> createMachine(const HostTarget &target, llvm::CodeGenOptLevel level) {
  const llvm::Target *backend = llvmTargetOf(target);
  assert(backend && "checked by findHostTargets");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      target.llvmTriple, target.cpu, target.features, options, llvm::Reloc::PIC_, std::nullopt, level));
}

FailureOr<Object> host::emitObject(llvm::Module &module, const HostTarget &target,
                                   function_ref<InFlightDiagnostic()> error, llvm::CodeGenOptLevel level) {
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(target, level);
  module.setTargetTriple(target.llvmTriple);
  module.setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : module) {
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    function.addFnAttr("no-builtins");
    // Processes without a stack guard or unwinder must be able to load the library.
    function.setDoesNotThrow();
  }
  std::string problems;
  llvm::raw_string_ostream problemStream(problems);
  if (llvm::verifyModule(module, &problemStream))
    return error() << "generated CPU code is malformed: " << problems, failure();
  if (level != llvm::CodeGenOptLevel::None)
    optimise(module, *machine);

  Object object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emitter;
  if (machine->addPassesToEmitFile(emitter, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return error() << "LLVM writes no object files for " << target.name(), failure();
  emitter.run(module);
  return object;
}

//===-- kernels -----------------------------------------------------------===//

llvm::GlobalVariable *host::declareTable(llvm::Module &module) {
  auto *table = new llvm::GlobalVariable(module, llvm::PointerType::get(module.getContext(), 0), false,
                                         llvm::GlobalValue::ExternalLinkage, nullptr, "table");
  table->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return table;
}

/// Calls of `name` go through the loader's table instead of a symbol.
static void redirect(llvm::Module &module, llvm::GlobalVariable *table, StringRef name, size_t tableOffset) {
  llvm::Function *function = module.getFunction(name);
  if (!function)
    return;
  llvm::IRBuilder<> builder(module.getContext());
  llvm::PointerType *pointer = builder.getPtrTy();
  for (llvm::User *user : llvm::make_early_inc_range(function->users())) {
    auto *call = cast<llvm::CallInst>(user);
    builder.SetInsertPoint(call);
    llvm::Value *base = builder.CreateLoad(pointer, table);
    llvm::Value *target =
        builder.CreateLoad(pointer, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, tableOffset));
    SmallVector<llvm::Value *> arguments(call->args());
    // The variadic fork call passes one captured pointer or none.
    if (name == "__kmpc_fork_call" && arguments.size() == 3)
      arguments.push_back(llvm::ConstantPointerNull::get(pointer));
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

FailureOr<Object> host::emitKernel(ModuleOp lowered, StringRef name, const HostTarget &target) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(lowered, context, "anemone-host");
  if (!module)
    return failure();
  for (llvm::Function &function : *module)
    if (!function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::Function *kernel = module->getFunction(name);
  kernel->setLinkage(llvm::GlobalValue::ExternalLinkage);
  kernel->setVisibility(llvm::GlobalValue::HiddenVisibility);
  llvm::GlobalVariable *table = declareTable(*module);
  redirect(*module, table, "__kmpc_fork_call", offsetof(ane_host_table, fork_call));
  redirect(*module, table, "__kmpc_global_thread_num", offsetof(ane_host_table, global_thread_num));
  redirect(*module, table, "__kmpc_for_static_init_8u", offsetof(ane_host_table, for_static_init_8u));
  redirect(*module, table, "__kmpc_for_static_fini", offsetof(ane_host_table, for_static_fini));
  redirect(*module, table, "__kmpc_barrier", offsetof(ane_host_table, barrier));
  return emitObject(*module, target, [&] { return emitError(lowered.getLoc()); });
}
