//===- Driver.cpp - entry points of a library -----------------------------===//

#include "Codegen.h"
#include "runtime/include/ane/runtime/host_abi.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {

/// Fills the module with what the library exports and what its kernels share.
class DriverBuilder {
public:
  DriverBuilder(llvm::Module &module, ArrayRef<std::string> kernels, unsigned weightFile)
      : module(module), builder(module.getContext()), kernels(kernels), weightFile(weightFile) {}
  void run(ArrayRef<FunctionPlan> functions);

private:
  llvm::Module &module;
  llvm::IRBuilder<> builder;
  ArrayRef<std::string> kernels;
  unsigned weightFile;

  llvm::PointerType *pointer() { return builder.getPtrTy(); }
  llvm::Value *member(llvm::Value *base, uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
  }
  llvm::Function *define(StringRef name, llvm::Type *result, ArrayRef<llvm::Type *> arguments);
  void addMinimum(StringRef name, llvm::CmpInst::Predicate isResult);
  void addFunction(const FunctionPlan &plan);
};

} // namespace

llvm::Function *DriverBuilder::define(StringRef name, llvm::Type *result, ArrayRef<llvm::Type *> arguments) {
  auto *type = llvm::FunctionType::get(result, arguments, false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  return function;
}

/// Calls the plan's kernels one after another.
void DriverBuilder::addFunction(const FunctionPlan &plan) {
  llvm::Function *function = define(plan.signature.symbol, builder.getVoidTy(), {pointer(), pointer()});
  llvm::Value *args = function->getArg(0), *context = function->getArg(1);
  llvm::Value *files = builder.CreateLoad(pointer(), member(context, offsetof(ane_host_context, weights)));
  llvm::Value *arena = builder.CreateLoad(pointer(), member(context, offsetof(ane_host_context, arena)));
  llvm::Value *weights = nullptr;
  for (const Call &call : plan.calls) {
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
    SmallVector<llvm::Type *> types(arguments.size(), pointer());
    llvm::FunctionCallee kernel =
        module.getOrInsertFunction(kernels[call.kernel], llvm::FunctionType::get(builder.getVoidTy(), types, false));
    cast<llvm::Function>(kernel.getCallee())->setVisibility(llvm::GlobalValue::HiddenVisibility);
    builder.CreateCall(kernel, arguments);
  }
  builder.CreateRetVoid();
}

/// LLVM calls these two for minima of single fp16 values, which it makes of comparisons where x86 has no such
/// instruction.
void DriverBuilder::addMinimum(StringRef name, llvm::CmpInst::Predicate isResult) {
  llvm::Type *type = builder.getFloatTy();
  llvm::Function *function = define(name, type, {type, type});
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  llvm::Value *x = function->getArg(0), *y = function->getArg(1);
  llvm::Value *nearer = builder.CreateSelect(builder.CreateFCmp(isResult, x, y), x, y);
  builder.CreateRet(builder.CreateSelect(builder.CreateFCmpUNO(y, y), x, nearer));
}

void DriverBuilder::run(ArrayRef<FunctionPlan> functions) {
  addMinimum("fminf", llvm::CmpInst::FCMP_OLT);
  addMinimum("fmaxf", llvm::CmpInst::FCMP_OGT);
  llvm::GlobalVariable *table = declareTable(module);
  table->setInitializer(llvm::ConstantPointerNull::get(pointer()));

  define(ANE_HOST_ABI_SYMBOL, builder.getInt32Ty(), {});
  builder.CreateRet(builder.getInt32(ANE_HOST_ABI_VERSION));
  llvm::Function *init = define(ANE_HOST_INIT_SYMBOL, builder.getVoidTy(), {pointer()});
  builder.CreateStore(init->getArg(0), table);
  builder.CreateRetVoid();
  for (const FunctionPlan &plan : functions)
    addFunction(plan);
}

FailureOr<Object> host::emitDriver(ArrayRef<std::string> kernels, ArrayRef<FunctionPlan> functions, unsigned weightFile,
                                   const HostTarget &target, function_ref<InFlightDiagnostic()> error) {
  llvm::LLVMContext context;
  llvm::Module module("anemone-host", context);
  DriverBuilder(module, kernels, weightFile).run(functions);
  // Calls, one after the other, thousands of them in a language model: there is nothing to optimise.
  return emitObject(module, target, error, llvm::CodeGenOptLevel::None);
}
