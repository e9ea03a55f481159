//===- Shape.td - shape and layout --------------------------------------===//
#ifndef ANE_IR_OPS_SHAPE_TD
#define ANE_IR_OPS_SHAPE_TD

include "ane/IR/ANEBase.td"

/// Moves data without computing: its elements are elements of x, except where a record says otherwise.
class ANE_MovementOp<string mnemonic, string text, dag args, list<Trait> traits = []> : ANE_MILOp<mnemonic, traits> {
  let summary = text;
  let arguments = args;
  let results = (outs ANE_Tensor:$result);
  let flops = "0";
  let range = "x";
}

//===-- shape -----------------------------------------------------------===//

def ANE_ReshapeOp : ANE_MovementOp<"reshape", "the elements of x, row-major, in another shape",
                                   (ins ANE_Tensor:$x, ANE_Ints:$shape)> {
  let description = "One entry of `shape` may be -1 (follows from the others); 0 keeps x's size if the ranks agree.";
  let view = "x.reshape(getType().getShape())";
  let hasFolder = 1;
  let groups = [ShapeOnly];
}

def ANE_ReshapeLikeOp
    : ANE_MovementOp<"reshape_like", "x in a shape put together from other tensors' shapes",
                     (ins ANE_Tensor:$x, Variadic<ANE_Tensor>:$ref_tensors, ANE_AsTuple<ANE_Ints>:$begins,
                          ANE_AsTuple<ANE_Ints>:$ends, ANE_AsTuple<ANE_Bools>:$end_masks)> {
  let opset = "ios16";
  let description = [{
    The result's shape is the concatenation over i of axes `begins[i]` to `ends[i]` (exclusive; to the last axis where
    `end_masks[i]`) of `ref_tensors[i]`. Canonical form: `reshape`.
  }];
  let view = "x.reshape(getType().getShape())";
  let hasCanonicalizeMethod = 1;
  let groups = [ShapeOnly];
}

def ANE_ExpandDimsOp : ANE_MovementOp<"expand_dims", "x with new axes of size 1 at positions `axes` of the result",
                                      (ins ANE_Tensor:$x, ANE_Ints:$axes)> {
  let axesOf = "getResult()";
  let view = "x.reshape(getType().getShape())";
  let hasFolder = 1;
  let groups = [ShapeOnly];
}

def ANE_SqueezeOp : ANE_MovementOp<"squeeze", "x without the axes `axes` (all of size 1 by default)",
                                   (ins ANE_Tensor:$x, ANE_OptInts:$axes)> {
  let view = "x.reshape(getType().getShape())";
  let hasFolder = 1;
  let groups = [ShapeOnly];
}

def ANE_Flatten2dOp : ANE_MovementOp<"flatten2d", "x as a matrix: axes before `axis` are rows, the others columns",
                                     (ins ANE_Tensor:$x, ANE_DefaultInt<"1">:$axis)> {
  let view = "x.reshape(getType().getShape())";
  let hasCanonicalizeMethod = 1;
  let groups = [ShapeOnly];
}

def ANE_ShapeOp : ANE_MovementOp<"shape", "the shape of x as int32 [rank]", (ins ANE_Tensor:$x)> {
  let range = "";
  let hasFolder = 1;
}

//===-- order -----------------------------------------------------------===//

def ANE_TransposeOp : ANE_MovementOp<"transpose", "axis i of the result is axis perm[i] of x",
                                     (ins ANE_Tensor:$x, ANE_Ints:$perm)> {
  let view = "x.transpose(getPerm())";
  let hasFolder = 1;
}

def ANE_ReverseOp : ANE_MovementOp<"reverse", "x with the order along `axes` (all by default) turned round",
                                   (ins ANE_Tensor:$x, ANE_OptInts:$axes)> {
  let axesOf = "getX()";
  let view = "x.reverse(getAxesFromFront())";
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let hasFolder = 1;
}

def ANE_ReverseSequenceOp
    : ANE_MovementOp<"reverse_sequence", "x with the first lengths[b] entries along `seq_axis` turned round",
                     (ins ANE_Tensor:$x, ANE_IndexTensor:$lengths, ANE_DefaultInt<"0">:$seq_axis,
                          ANE_DefaultInt<"0">:$batch_axis)> {
  let description = "`lengths` has one entry per index of `batch_axis`.";
  let extraDeclarations = [{
    /// The axes counted from the front.
    int64_t getSeqAxisFromFront() { return *::mlir::ane::axisFromFront(getSeqAxis(), getType().getRank()); }
    int64_t getBatchAxisFromFront() { return *::mlir::ane::axisFromFront(getBatchAxis(), getType().getRank()); }
  }];
  let assemblyFormat = "$x `,` $lengths attr-dict `:` type($x) `,` type($lengths)";
}

//===-- parts -----------------------------------------------------------===//

def ANE_SliceByIndexOp
    : ANE_MovementOp<"slice_by_index", "x[begin : end : stride] along every axis",
                     (ins ANE_Tensor:$x, ANE_AsBounds<ANE_Ints>:$begin, ANE_AsBounds<ANE_Ints>:$end, ANE_OptInts:$stride,
                          ANE_OptBools:$begin_mask, ANE_OptBools:$end_mask, ANE_OptBools:$squeeze_mask)> {
  let description = [{
    One entry per axis; negative indices count from the end and bounds are clamped, as in Python. Where `begin_mask`
    (`end_mask`) is set the slice starts (ends) at the border. Where `squeeze_mask` is set, index `begin` is taken and
    the axis dropped. Canonical form of slices without strides: `slice_by_size`, and `reshape` where axes are dropped.
  }];
  let view = "x.slice(getRanges())";
  let extraDeclarations = [{
    /// Per axis: first index, number of indices, step; resolved against x's shape.
    ::llvm::SmallVector<::mlir::ane::SliceRange> getRanges();
  }];
  let hasFolder = 1;
  let groups = [Slices];
  let hasCanonicalizeMethod = 1;
}

def ANE_SliceBySizeOp : ANE_MovementOp<"slice_by_size", "x[begin : begin + size] along every axis",
                                       (ins ANE_Tensor:$x, ANE_Ints:$begin, ANE_Ints:$size)> {
  let description = "A size of -1 reaches to the end of the axis; a negative begin counts from the end.";
  let view = "x.slice(getRanges())";
  let extraDeclarations = [{
    /// Per axis: first index, number of indices, step 1.
    ::llvm::SmallVector<::mlir::ane::SliceRange> getRanges();
  }];
  let hasFolder = 1;
  let groups = [Slices];
}

def ANE_SliceUpdateOp
    : ANE_MovementOp<"slice_update", "x with x[begin : end : stride] replaced by update",
                     (ins ANE_Tensor:$x, ANE_Tensor:$update, ANE_AsBounds<ANE_Ints>:$begin, ANE_AsBounds<ANE_Ints>:$end,
                          ANE_OptInts:$stride, ANE_OptBools:$begin_mask, ANE_OptBools:$end_mask, ANE_OptBools:$squeeze_mask)> {
  let opset = "ios18";
  let range = "unite(ranges)";
  let hasVerifier = 1;
  let description = "Indices as in `slice_by_index`; update has the shape of the slice.";
  let assemblyFormat = "$x `,` $update attr-dict `:` type($x) `,` type($update)";
  let extraDeclarations = [{
    /// Per axis: first index, number of indices, step; resolved against x's shape.
    ::llvm::SmallVector<::mlir::ane::SliceRange> getRanges();
  }];
}

def ANE_SplitOp : ANE_MILOp<"split"> {
  let summary = "x cut along axis";
  let description = [{
    Either `num_splits` equal parts or parts of the sizes `split_sizes`; one result per part. If both are given they
    agree.
  }];
  let arguments = (ins ANE_Tensor:$x, ANE_OptInt:$num_splits, ANE_OptInts:$split_sizes, ANE_Int:$axis);
  let results = (outs Variadic<ANE_Tensor>:$parts);
  let axesOf = "getX()";
  let view = "x.slice(getRanges(number))";
  let extraDeclarations = [{
    /// Part `number` as a slice of x.
    ::llvm::SmallVector<::mlir::ane::SliceRange> getRanges(unsigned number);
  }];
  let flops = "0";
  let range = "x";
  let hasFolder = 1;
  let groups = [Slices];
}

def ANE_SlidingWindowsOp
    : ANE_MovementOp<"sliding_windows", "all windows of `size` along axis, as a new axis after it",
                     (ins ANE_Tensor:$x, ANE_Int:$axis, ANE_Int:$size, ANE_DefaultInt<"1">:$stride)> {
  let description = "Axis of size n becomes [(n - size) / stride + 1, size].";
  let axesOf = "getX()";
  let view = "x.windows(getAxisFromFront(), getSize(), getStride())";
}

def ANE_BandPartOp
    : ANE_MovementOp<"band_part", "x with 0 outside a band round the diagonal of the last two axes",
                     (ins ANE_Tensor:$x, ANE_DefaultInt<"-1">:$lower, ANE_DefaultInt<"-1">:$upper)> {
  let range = "unite({x, {0, 0}})";
  let hasVerifier = 1;
  let description = "Keeps `lower` diagonals below the main one and `upper` above; -1 keeps all.";
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let hasFolder = 1;
}

//===-- whole -----------------------------------------------------------===//

def ANE_ConcatOp : ANE_MovementOp<"concat", "values joined along axis",
                                  (ins Variadic<ANE_Tensor>:$values, ANE_Int:$axis,
                                       ANE_DefaultBool<"false">:$interleave)> {
  let range = "unite(ranges)";
  let description = "With `interleave` (equal sizes along axis) the result takes one index of each value in turn.";
  let axesOf = "getResult()";
  let hasFolder = 1;
}

def ANE_StackOp : ANE_MovementOp<"stack", "values joined along a new axis",
                                 (ins Variadic<ANE_Tensor>:$values, ANE_Int:$axis)> {
  let axesOf = "getResult()";
  let range = "unite(ranges)";
}

def ANE_TileOp : ANE_MovementOp<"tile", "x repeated reps[i] times along axis i", (ins ANE_Tensor:$x, ANE_Ints:$reps)> {
  let view = "x.broadcast(getType().getShape())";
  let hasFolder = 1;
}

def ANE_PadOp : ANE_MovementOp<"pad", "x with a border",
                               (ins ANE_Tensor:$x, ANE_Ints:$pad, ANE_DefaultStr<"constant">:$mode,
                                    ANE_DefaultFloat<"0.0">:$constant_val)> {
  let description = [{
    `pad` holds before and after, interleaved, for each of the last `len(pad) / 2` axes. Modes: `constant`
    (constant_val), `reflect` (without the edge element), `replicate` (the edge element).
  }];
  let extraDeclarations = [{
    /// Elements before x and after it, for each of its axes.
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> getBorder();
  }];
  let range = [{getMode() == "constant" ? unite({x, FloatRange::of(getConstantVal().convertToDouble())}) : x}];
  let hasFolder = 1;
}

//===-- blocks ----------------------------------------------------------===//

def ANE_DepthToSpaceOp
    : ANE_MovementOp<"depth_to_space", "[N, C, H, W] -> [N, C / b^2, H b, W b], the block index first in C",
                     (ins ANE_Tensor:$x, ANE_Int:$block_size)>;
def ANE_SpaceToDepthOp
    : ANE_MovementOp<"space_to_depth", "[N, C, H, W] -> [N, C b^2, H / b, W / b], the block index first in C",
                     (ins ANE_Tensor:$x, ANE_Int:$block_size)>;
def ANE_PixelShuffleOp
    : ANE_MovementOp<"pixel_shuffle", "[N, C, H, W] -> [N, C / f^2, H f, W f], the block index last in C (PyTorch)",
                     (ins ANE_Tensor:$x, ANE_Int:$upscale_factor)>;
def ANE_PixelUnshuffleOp
    : ANE_MovementOp<"pixel_unshuffle", "[N, C, H, W] -> [N, C f^2, H / f, W / f], the block index last in C (PyTorch)",
                     (ins ANE_Tensor:$x, ANE_AsUInt32<ANE_Int>:$downscale_factor)> {
  let opset = "ios16";
}

def ANE_BatchToSpaceOp
    : ANE_MovementOp<"batch_to_space", "blocks of the batch axis moved to the two spatial axes, then cropped",
                     (ins ANE_Tensor:$x, ANE_Ints:$block_shape, ANE_AsPairs<ANE_Ints>:$crops)> {
  let description = [{
    x [N b0 b1, C, H, W] -> [N, C, H b0 - crops, W b1 - crops]. `crops` holds begin and end of H, then of W.
  }];
}

def ANE_SpaceToBatchOp
    : ANE_MovementOp<"space_to_batch", "the two spatial axes padded, then cut in blocks that move to the batch axis",
                     (ins ANE_Tensor:$x, ANE_Ints:$block_shape, ANE_AsPairs<ANE_Ints>:$paddings)> {
  let range = "unite({x, {0, 0}})";
  let description = [{
    x [N, C, H, W] -> [N b0 b1, C, (H + paddings) / b0, (W + paddings) / b1]. `paddings` holds begin and end of H, then
    of W.
  }];
}

#endif // ANE_IR_OPS_SHAPE_TD
