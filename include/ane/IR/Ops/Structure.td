//===- Structure.td - constants and containers --------------------------===//
#ifndef ANE_IR_OPS_STRUCTURE_TD
#define ANE_IR_OPS_STRUCTURE_TD

include "ane/IR/ANEBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def ANE_ConstOp : ANE_Op<"const", [ConstantLike, Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "a constant tensor";
  let description = [{
    `value` is a `DenseElementsAttr` (small data) or `#ane.weight` (bytes of a mapped file). MIL: `const`.

    ```mlir
    %w = ane.const #ane.weight<"model.onnx", 4096, 589824> : tensor<384x384xf32>
    %e = ane.const dense<1.0e-5> : tensor<f32>
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs ANE_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let flops = "0";
}

def ANE_IslandOp : ANE_Op<"island", [IsolatedFromAbove]> {
  let summary = "a maximal region that runs on the engine, beside its meaning";
  let description = [{
    Two regions over the same operands. `twin` holds the canonical body and is never rewritten: it becomes the CPU twin
    and is the reference of the engine body. `engine` computes the same values in fp16 under the target's constraints;
    its block arguments and yielded values are related to operands and results by `input_layouts` and
    `output_layouts` (see `#ane.layout`). Before legalisation `engine` is empty.
  }];
  let arguments = (ins Variadic<ANE_Tensor>:$inputs,
                       DefaultValuedAttr<TypedArrayAttrBase<ANE_LayoutAttr, "layouts">, "{}">:$input_layouts,
                       DefaultValuedAttr<TypedArrayAttrBase<ANE_LayoutAttr, "layouts">, "{}">:$output_layouts);
  let results = (outs Variadic<ANE_Tensor>:$results);
  let regions = (region AnyRegion:$engine, SizedRegion<1>:$twin);
  let assemblyFormat = [{
    `(` $inputs `)` `:` functional-type($inputs, $results) attr-dict-with-keyword `engine` $engine `twin` $twin
  }];
  let hasVerifier = 1;
}

def ANE_YieldOp : ANE_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["IslandOp", "BlobOp", "ParameterOp"]>]> {
  let summary = "ends a region of an island, a blob or a parameter";
  let arguments = (ins Variadic<ANE_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def ANE_ProgramOp : ANE_Op<"program", [IsolatedFromAbove, SymbolTable, Symbol, NoTerminator, SingleBlock,
                                       NoRegionArguments]> {
  let summary = "one MIL program: one load on the engine";
  let description = [{
    Holds one or more procedures (`func.func`, one MIL function each), and the states of MIL text that was read. The symbol's name is the name of the
    MIL file in the bundle.

    ```mlir
    ane.program @main_0 {
      func.func @main(%x: tensor<1x384x1x128xf16> {ane.layout = #ane.layout<expand = [1, 128, 384], perm = [0, 2, 1]>})
          -> (tensor<1x384x1x128xf16> {ane.layout = #ane.layout<expand = [1, 128, 384], perm = [0, 2, 1]>}) { ... }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def ANE_EvalOp : ANE_Op<"eval", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "evaluates a procedure of a program, or its CPU twin";
  let description = [{
    A step of the host plan. Operands and results have the plan's types; the procedure's layouts say how they become
    surfaces. `twin` is the CPU function that computes the same values where the engine refuses the program.
  }];
  let arguments = (ins SymbolRefAttr:$procedure, FlatSymbolRefAttr:$twin, Variadic<ANE_Tensor>:$inputs);
  let results = (outs Variadic<ANE_Tensor>:$results);
  let assemblyFormat = "$procedure `twin` $twin `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

def ANE_StateOp : ANE_Op<"state", [Symbol]> {
  let summary = "a tensor that lives across evaluations";
  let description = [{
    A session keeps its value; programs get it as an input surface that is written in place. No route makes it a state of the
    program: the in-memory route rejects them (ane-op-chip-matrix.md 2, `read_state / write_state`), and Core ML's are reported to
    keep a program off the engine (training-and-llm.md 8.2). It stands in the module, or in the `ane.program` that MIL text with
    states was read as.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<ANE_Tensor>:$type);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
}

def ANE_ParameterOp : ANE_Op<"parameter", [HasParent<"::mlir::ModuleOp">, IsolatedFromAbove, SingleBlock,
                                           NoRegionArguments]> {
  let summary = "what a parameter is when training begins";
  let description = [{
    A weight that training changes is an input of the functions that train, called `name`. The region computes the value that
    it begins with from the model's file; it is evaluated once, when the bundle is written (`ane.training`).

    ```mlir
    ane.parameter "wte.weight" : tensor<300x64xf32> {
      %0 = ane.const #ane.weight<"model.safetensors", 4096, 38400> : tensor<300x64xf16>
      %1 = ane.cast %0 {dtype = "fp32"} : (tensor<300x64xf16>) -> tensor<300x64xf32>
      ane.yield %1 : tensor<300x64xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, TypeAttrOf<ANE_Tensor>:$type);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name attr-dict `:` $type $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What the region computes.
    ::mlir::Value getValue() { return getBody().front().getTerminator()->getOperand(0); }
  }];
}

#endif // ANE_IR_OPS_STRUCTURE_TD
