//===- Layout.td - relayouts and blobs ----------------------------------===//
#ifndef ANE_IR_OPS_LAYOUT_TD
#define ANE_IR_OPS_LAYOUT_TD

include "ane/IR/ANEBase.td"

def ANE_RelayoutOp : ANE_Op<"relayout", [Pure, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "reshape, transpose, reshape";
  let description = [{
    The source is reshaped to `expand`, transposed by `perm`, and reshaped to the result's type. Layout passes work on this
    op alone (see Relayout.h); it decomposes into at most two `reshape` and one `transpose`.

    ```mlir
    %y = ane.relayout %x expand [128, 384] perm [1, 0] : tensor<1x128x384xf16> -> tensor<1x384x1x128xf16>
    ```
  }];
  let arguments = (ins ANE_Tensor:$x, ANE_Ints:$expand, ANE_Ints:$perm);
  let results = (outs ANE_Tensor:$result);
  let assemblyFormat = "$x `expand` $expand `perm` $perm attr-dict `:` type($x) `->` type($result)";
  let groups = [ShapeOnly];
  let hasVerifier = 1;
  let hasFolder = 1;
  let flops = "0";
  let range = "x";
  let extraDeclarations = [{
    ::mlir::ane::Relayout getRelayout();
    static RelayoutOp create(::mlir::OpBuilder &builder, ::mlir::Location loc, ::mlir::Value x,
                             const ::mlir::ane::Relayout &layout, ::llvm::ArrayRef<int64_t> shape);
  }];
}

def ANE_BlobOp : ANE_Op<"blob", [IsolatedFromAbove, Pure, SingleBlock, NoRegionArguments]> {
  let summary = "a constant that lives in a weight file of the bundle";
  let description = [{
    The region computes the constant from the model's own weights (transposes, casts, slices of `ane.const`); it is
    evaluated once, when the bundle is written, and streamed to the record at `offset` of `file`. MIL: `const` with `BLOBFILE`.
    `offset` is that of the record's 64-byte descriptor, not of the data (C08).

    ```mlir
    %w = ane.blob "weights/main_0.bin" at 64 : tensor<384x384x1x1xf16> {
      %0 = ane.const #ane.weight<"model.onnx", 4096, 589824> : tensor<384x384xf32>
      ...
      ane.yield %3 : tensor<384x384x1x1xf16>
    }
    ```
  }];
  let arguments = (ins StrAttr:$file, I64Attr:$offset);
  let results = (outs ANE_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$file `at` $offset attr-dict `:` type($result) $body";
  let hasVerifier = 1;
  let flops = "0";
}

#endif // ANE_IR_OPS_LAYOUT_TD
