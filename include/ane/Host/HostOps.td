//===- HostOps.td - the host dialect: CPU code before its loops ---------===//
#ifndef ANE_HOST_HOSTOPS_TD
#define ANE_HOST_HOSTOPS_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Host_Dialect : Dialect {
  let name = "host";
  let summary = "CPU code between the canonical form and the loops of its kernels";
  let description = [{
    The stages of the CPU code generator (`ane-host-constants`, `ane-host-prepare`, `ane-host-layout`, `ane-host-cluster`)
    rewrite a `func.func` of `ane` ops until it is a list of `host.kernel`. Each of them can be printed and read again.

    Attributes of the dialect on ops of others:

    | attribute | on | says |
    |---|---|---|
    | `host.order` | an op with one result | the dimensions of the result in the order of memory, outermost first; row-major without it |
    | `host.copy` | `ane.identity` | that it is computed, and not a view of its operand |
    | `host.widen` | `ane.cast` of fp16 or bf16 to fp32 | that it is a view: kernels widen elements where they load them |
    | `host.outline` | a loop of a kernel | that its body becomes a function |
    | `host.job` | a module with one kernel | its number |
  }];
  let cppNamespace = "::mlir::ane::host";
  let hasOperationAttrVerify = 1;
}

def Host_Tensor : StaticShapeTensorOf<[AnyFloat, AnyInteger]>;

class Host_Op<string mnemonic, list<Trait> traits = []> : Op<Host_Dialect, mnemonic, traits>;

//===-- kernels ---------------------------------------------------------===//

class Host_Kind<string name, int value> : I32EnumAttrCase<name, value, !tolower(name)>;

def Host_KernelKind : I32EnumAttr<"KernelKind", "which loops a kernel becomes", [
    Host_Kind<"Copy", 0>,        // views and nothing else
    Host_Kind<"Elementwise", 1>, // one sweep: element-wise ops and gathers
    Host_Kind<"Row", 2>,         // the same with reductions along a row
    Host_Kind<"Product", 3>,     // register tiles of a matrix product or convolution, and what follows element by element
    Host_Kind<"Depthwise", 4>,   // the same of a convolution with one filter for each channel
    // One op with loops of its own.
    Host_Kind<"Move", 5>, Host_Kind<"Window", 6>, Host_Kind<"Search", 7>, Host_Kind<"Scatter", 8>, Host_Kind<"Boxes", 9>,
    Host_Kind<"Recurrence", 10>,
    Host_Kind<"Sum", 11>         // a product of integers, or one whose panels are too large for a thread's stack
  ]> {
  let cppNamespace = "::mlir::ane::host";
}

def Host_KernelOp : Host_Op<"kernel", [IsolatedFromAbove, SingleBlock]> {
  let summary = "ops that are computed by one call of one piece of code";
  let description = [{
    The region holds the ops in the order in which they are computed, with the views (transposes, slices, reshapes, ...) through
    which they read. Arguments are what is read from memory: arguments of the function, constants of the weight file and results
    of other kernels, each as it lies there. Results are what is written, in the order of memory that `host.order` of the yielded
    value's op says; a yielded view is written row-major. `in_place`: a scatter has its data and its result in the same memory.

    ```mlir
    %1 = host.kernel product(%a = %x, %b = %weight) : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32> {
      %2 = ane.linear %a, %b : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
      %3 = ane.relu %2 : tensor<8x48xf32>
      host.yield %3 : tensor<8x48xf32>
    }
    ```
  }];
  let arguments = (ins Host_KernelKind:$kind, Variadic<Host_Tensor>:$inputs, UnitAttr:$in_place);
  let results = (outs Variadic<Host_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    Block &getBlock() { return getBody().front(); }
    /// The values of the region that are written, one for each result.
    ::mlir::OperandRange getWritten() { return getBlock().getTerminator()->getOperands(); }
    /// The ops that compute: neither views nor constants.
    ::llvm::SmallVector<::mlir::Operation *> getComputation();
    /// The operand that a scatter changes, if it is read without a view, and for nothing else in the kernel; null otherwise.
    ::mlir::Value getScattered();
  }];
}

def Host_KernelYieldOp : Host_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"KernelOp">]> {
  let summary = "ends a kernel with what it writes";
  let arguments = (ins Variadic<Host_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

//===-- ops that only this folder makes ---------------------------------===//

def Host_RecurrenceKind : I32EnumAttr<"RecurrenceKind", "what a step of a recurrence computes", [
    Host_Kind<"Lstm", 0>, Host_Kind<"Gru", 1>, Host_Kind<"Rnn", 2>
  ]> {
  let cppNamespace = "::mlir::ane::host";
}

def Host_RecurrenceOp : Host_Op<"recurrence", [Pure, AttrSizedOperandSegments]> {
  let summary = "the steps of an lstm, gru or rnn in one direction, without the product of its inputs";
  let description = [{
    `inputs` [S, B, G H] is the inputs' part of the gates of all steps, `initial` the states [B, H] before the first, `weight`
    [H, G H] the recurrent weights. `bias` [G H] is the recurrent bias of a gru with `reset_after`, `peephole` [3 H] is of an lstm.
    Results are the states of all steps, or of the last alone, and the last states.
  }];
  let arguments = (ins Host_RecurrenceKind:$kind, Host_Tensor:$inputs, Variadic<Host_Tensor>:$initial, Host_Tensor:$weight,
                       Optional<Host_Tensor>:$bias, Optional<Host_Tensor>:$peephole, StrAttr:$recurrent_activation,
                       StrAttr:$cell_activation, StrAttr:$activation, UnitAttr:$reverse, UnitAttr:$sequence,
                       UnitAttr:$reset_after);
  let results = (outs Host_Tensor:$states, Variadic<Host_Tensor>:$last);
  let assemblyFormat = [{
    $kind $inputs `initial` $initial `weight` $weight (`bias` $bias^)? (`peephole` $peephole^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // ANE_HOST_HOSTOPS_TD
