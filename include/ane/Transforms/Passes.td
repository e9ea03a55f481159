//===- Passes.td - passes of the ane dialect ----------------------------===//
// One pass per file in lib/Transforms, named like the record. Keep alphabetical.
#ifndef ANE_TRANSFORMS_PASSES_TD
#define ANE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetTarget : Pass<"ane-set-target", "::mlir::ModuleOp"> {
  let summary = "attach the target attribute to the module";
  let description = [{
    Everything that depends on the machine reads `#ane.target` from the module; this pass is the only place where it is
    attached. A target that the module already has is replaced.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"h16\"", "compiler's name of the chip">,
    Option<"os", "os", "int64_t", "15", "oldest macOS major version that must run the program">
  ];
}

#endif // ANE_TRANSFORMS_PASSES_TD
