//===- Passes.td - passes that belong to the phases ---------------------===//
#ifndef ANE_PIPELINE_PASSES_TD
#define ANE_PIPELINE_PASSES_TD

include "ane/IR/ANEPass.td"

def VerifyPhase : ANE_Pass<"ane-verify-phase", "::mlir::ModuleOp"> {
  let summary = "check the contract of a phase";
  let description = [{
    Reads only; every fault is one error. The pipelines run it after each phase, so that a pass that breaks a contract is
    found where it stands. In phase bundle there are files, which the runtime's reader checks.
  }];
  let options = [Option<"phase", "phase", "std::string", "\"canonical\"",
                        "input, canonical, legal, partitioned, emittable or bundle">];
}

#endif // ANE_PIPELINE_PASSES_TD
