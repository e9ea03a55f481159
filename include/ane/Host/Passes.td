//===- Passes.td - passes of the CPU code generator ---------------------===//
// One pass per file in lib/Host, named like the record, in the order in which they run.
#ifndef ANE_HOST_PASSES_TD
#define ANE_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

class Host_Stage<string argument> : Pass<argument, "::mlir::func::FuncOp"> {
  let dependentDialects = ["::mlir::ane::host::HostDialect"];
}

def HostNarrow : Host_Stage<"ane-host-narrow"> {
  let summary = "compute in float32 what is float64 in the model (--cpu-f32)";
  let description = [{
    Inputs and constants are rounded where they enter, and outputs widened where they leave: the function's signature stays.
  }];
}

def HostConstants : Host_Stage<"ane-host-constants"> {
  let summary = "make constants of all that is computed from constants alone";
  let description = [{
    Each constant expression that the function reads, views aside, becomes an `ane.const`, or an `ane.blob` where it is large, which is
    evaluated when its bytes are written: nothing constant is computed at run time. Not in the reference build, as the blob rounds.
  }];
}

def HostPrepare : Host_Stage<"ane-host-prepare"> {
  let summary = "write ops that have no kernel with ops that have one";
  let description = [{
    Decomposes composites, and writes what is best computed as something else so: padding and bias of a convolution apart from it, a
    convolution with computed weights as a product, block shuffles as views, resized images as gathers, a recurrent network as a
    product and `host.recurrence`. An input of 16 bits that only products read, as what their rows meet, is widened where they load it
    (`host.widen`). An error names an op that has no CPU code.
  }];
}

def HostLayout : Host_Stage<"ane-host-layout"> {
  let summary = "say in which order dimensions lie in memory (host.order)";
  let description = [{
    Convolutions keep channels last, so that their vectors run over channels, and what follows element by element or window by
    window keeps the order of its operand. No value changes its shape. Where strides can't say what an op reads, and where no kernel
    writes a returned value as it must lie, a copy is inserted, `ane.identity {host.copy}`.
  }];
}

def HostCluster : Host_Stage<"ane-host-cluster"> {
  let summary = "group ops into kernels (host.kernel)";
  let description = [{
    An op joins the kernel of a producer where that is legal and the loops of that kind can express both: element-wise ops follow a
    product in its register tiles, or share a sweep over rows with reductions and gathers. Each other op is a kernel of its own,
    and so is a view that strides can't express (`copy`). Kernels come in the order in which they run; beside them only
    constants and views of returned values are left.
  }];
}

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
    Option<"singlePrecision", "f32", "bool", "false", "compute in single, also what is float64">,
    Option<"weights", "weights", "std::string", "\"source\"", "storage of large float weights: source or fp16">,
    Option<"activations", "activations", "std::string", "\"exact\"",
           "rows that meet weights in blocks of integers: exact, or int8, which rounds them">,
    Option<"printKernels", "print-kernels", "bool", "false", "print the distinct kernels before their lowering">
  ];
}

#endif // ANE_HOST_PASSES_TD
