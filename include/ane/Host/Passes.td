//===- Passes.td - passes of the CPU code generator ---------------------===//
#ifndef ANE_HOST_PASSES_TD
#define ANE_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def HostCompile : Pass<"ane-host-compile", "::mlir::ModuleOp"> {
  let summary = "compile the module's functions to a CPU library";
  let description = [{
    Compiles each `func.func` of the module: `output-dir` receives `host.so`, `host.bin` (weights, a MIL blob file) and
    `host.json` (signatures and arena sizes). The module stays as it is. The same code builds a bundle's CPU part; the
    pass exists to look at it and to test it by itself. With `print-kernels` the kernels are printed and nothing is
    written.
  }];
  let options = [
    Option<"outputDir", "output-dir", "std::string", "\"\"", "folder that receives the files">,
    Option<"host", "host", "std::string", "\"x86_64-unknown-linux-gnu:x86-64-v3\"", "machine to compile for">,
    Option<"doublePrecision", "f64", "bool", "false", "compute in double: the reference build">,
    Option<"weights", "weights", "std::string", "\"source\"", "storage of large float weights: source or fp16">,
    Option<"printKernels", "print-kernels", "bool", "false", "print the distinct kernels before their lowering">
  ];
}

#endif // ANE_HOST_PASSES_TD
