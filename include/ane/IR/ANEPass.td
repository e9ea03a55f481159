//===- ANEPass.td - what all passes share -------------------------------===//
#ifndef ANE_IR_ANEPASS_TD
#define ANE_IR_ANEPASS_TD

include "mlir/Pass/PassBase.td"

/// A pass that makes attributes of the dialect, be it only the default target: a module may hold none before.
class ANE_Pass<string argument, string operation = ""> : Pass<argument, operation> {
  let dependentDialects = ["::mlir::ane::ANEDialect"];
}

#endif // ANE_IR_ANEPASS_TD
