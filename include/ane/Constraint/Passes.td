//===- Passes.td - passes that check constraints ------------------------===//
#ifndef ANE_CONSTRAINT_PASSES_TD
#define ANE_CONSTRAINT_PASSES_TD

include "ane/IR/ANEPass.td"

def VerifyLegalPass : ANE_Pass<"ane-verify-legal", "::mlir::ModuleOp"> {
  let summary = "check engine bodies against the constraints of the target";
  let description = [{
    Evaluates the catalogue on every op inside the `engine` region of an `ane.island` and inside the procedures of an
    `ane.program`, and on each of these bodies as a whole. All violations are reported, not only the first. Nothing is
    changed.

    With `emittable`, the constraints about names and surfaces are checked as well: they hold from phase emittable on.
    `only` names the constraints to check, as the post-condition of a legaliser. With `advice`, records about speed and
    accuracy, which are never errors, give warnings.
  }];
  let options = [
    Option<"emittable", "emittable", "bool", "false", "also check names and surfaces">,
    Option<"advice", "advice", "bool", "false", "warn about what is slow or less accurate">,
    ListOption<"only", "only", "std::string", "ids of the constraints to check, e.g. C01,C16">
  ];
}

#endif // ANE_CONSTRAINT_PASSES_TD
