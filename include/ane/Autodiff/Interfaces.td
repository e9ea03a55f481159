//===- Interfaces.td - the interface of gradient rules ------------------===//
#ifndef ANE_AUTODIFF_INTERFACES_TD
#define ANE_AUTODIFF_INTERFACES_TD

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let description = [{
    What reverse-mode differentiation knows of an op. Every op of the dialect that may stand in a function has it, also those
    that can't be differentiated, which say why. The models are attached from outside (`registerGradients`).
  }];
  let cppNamespace = "::mlir::ane";
  let methods = [
    StaticInterfaceMethod<"What the op's gradient is made by.", "::mlir::ane::GradientKind", "getGradientKind">,
    StaticInterfaceMethod<"Why the op never has a gradient; empty if it may have one.", "::llvm::StringRef", "getRefusal">,
    InterfaceMethod<[{
      Why no gradient can flow, with the op's attributes, from the results to the operands that `isActive`; empty if it can. Reads only, and is
      asked of all ops before anything is built.
    }], "std::string", "whyNotDifferentiable", (ins "::mlir::ane::IsActive":$isActive)>,
    InterfaceMethod<[{
      Builds what the gradients of the results add to those of the operands. Operands that are not active need no care: what is
      built for them is dropped.
    }], "void", "addGradients", (ins "::mlir::ane::GradientBuilder &":$builder)>
  ];
}

#endif // ANE_AUTODIFF_INTERFACES_TD
