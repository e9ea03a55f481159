//===- Image.td - image resizing ----------------------------------------===//
#ifndef ANE_IR_OPS_IMAGE_TD
#define ANE_IR_OPS_IMAGE_TD

include "ane/IR/ANEBase.td"

class ANE_ImageOp<string mnemonic, string text, dag args> : ANE_MILOp<mnemonic> {
  let summary = text;
  let arguments = args;
  let results = (outs ANE_NumberTensor:$result);
}

//===-- whole images ----------------------------------------------------===//

def ANE_UpsampleNearestNeighborOp
    : ANE_ImageOp<"upsample_nearest_neighbor", "x [..., H, W] with every element repeated; integer factors",
                  (ins ANE_FloatTensor:$x, ANE_DefaultInt<"1">:$scale_factor_height,
                       ANE_DefaultInt<"1">:$scale_factor_width)> {
  let flops = "0";
}

def ANE_UpsampleBilinearOp
    : ANE_ImageOp<"upsample_bilinear", "x [..., H, W] enlarged by integer factors, linearly interpolated",
                  (ins ANE_FloatTensor:$x, ANE_DefaultInt<"1">:$scale_factor_height,
                       ANE_DefaultInt<"1">:$scale_factor_width, ANE_DefaultBool<"true">:$align_corners,
                       ANE_OptBool:$half_pixel_centers)> {
  let description = "`half_pixel_centers` is the opposite of `align_corners` by default (from ios16).";
  let flops = "7 * getType().getNumElements()";
}

def ANE_ResizeNearestNeighborOp
    : ANE_ImageOp<"resize_nearest_neighbor", "x [..., H, W] in another size, nearest element",
                  (ins ANE_FloatTensor:$x, ANE_Int:$target_size_height, ANE_Int:$target_size_width)> {
  let flops = "0";
}

def ANE_ResizeBilinearOp
    : ANE_ImageOp<"resize_bilinear", "x [..., H, W] in another size, linearly interpolated",
                  (ins ANE_FloatTensor:$x, ANE_DefaultInt<"1">:$target_size_height,
                       ANE_DefaultInt<"1">:$target_size_width, ANE_DefaultStr<"DEFAULT">:$sampling_mode)> {
  let description = [{
    `sampling_mode` places the sampling grid: STRICT_ALIGN_CORNERS, ALIGN_CORNERS, DEFAULT, OFFSET_CORNERS,
    UNALIGN_CORNERS (half-pixel centres).
  }];
  let flops = "7 * getType().getNumElements()";
}

def ANE_ResizeOp
    : ANE_ImageOp<"resize", "the last `resized_dims` axes of x in other sizes",
                  (ins ANE_NumberTensor:$x, ANE_Ints:$shape, ANE_AsUInt32<ANE_Int>:$resized_dims,
                       ANE_DefaultStr<"LINEAR">:$interpolation_mode, ANE_DefaultStr<"DEFAULT">:$sampling_mode)> {
  let opset = "ios17";
  let description = [{
    The last `resized_dims` entries of `shape` are the sizes, 0 keeps one. `interpolation_mode`: LINEAR or
    NEAREST_NEIGHBOR; `sampling_mode` as in `resize_bilinear`.
  }];
  let flops = "7 * getType().getNumElements()";
}

//===-- parts -----------------------------------------------------------===//

def ANE_CropOp : ANE_ImageOp<"crop", "x [..., H, W] without crop_height = [top, bottom] and crop_width = [left, right]",
                             (ins ANE_FloatTensor:$x, ANE_Ints:$crop_height, ANE_Ints:$crop_width)> {
  let range = "x";
  let flops = "0";
}

def ANE_CropResizeOp
    : ANE_ImageOp<"crop_resize", "boxes cut from images and resized",
                  (ins ANE_FloatTensor:$x, ANE_FloatTensor:$boxes, Optional<ANE_IndexTensor>:$box_indices,
                       ANE_DefaultInt<"1">:$target_height, ANE_DefaultInt<"1">:$target_width,
                       ANE_DefaultBool<"false">:$normalized_coordinates, ANE_AsFp32<ANE_DefaultFloat<"1.0">>:$spatial_scale,
                       ANE_DefaultStr<"CORNERS_HEIGHT_FIRST">:$box_coordinate_mode,
                       ANE_DefaultStr<"DEFAULT">:$sampling_mode, ANE_DefaultFloat<"0.0">:$pad_value)> {
  let opset = "ios17";
  let description = [{
    x [B, C, H, W], boxes [N, 4], box_indices [N] (the image of each box) -> [N, C, target_height, target_width].
    `box_coordinate_mode`: CORNERS_HEIGHT_FIRST, CORNERS_WIDTH_FIRST, CENTER_SIZE_HEIGHT_FIRST,
    CENTER_SIZE_WIDTH_FIRST. Before ios17 MIL has a form with a rank-5 `roi` instead.
  }];
  let assemblyFormat = "$x `,` $boxes (`,` $box_indices^)? attr-dict `:` functional-type(operands, results)";
  let flops = "7 * getType().getNumElements()";
}

class ANE_SampledOp<string mnemonic, string text, dag args> : ANE_ImageOp<mnemonic, text,
    !con(args, (ins ANE_Str:$sampling_mode, ANE_Str:$padding_mode, ANE_Float:$padding_value,
                    ANE_Str:$coordinates_mode, ANE_Bool:$align_corners))> {
  let description = [{
    `sampling_mode`: nearest, bilinear. `padding_mode` (beyond the border): constant (padding_value), border, reflection,
    symmetric. `coordinates_mode`: unnormalized, normalized_minus_one_to_one, normalized_zero_to_one.
  }];
  let flops = "7 * getType().getNumElements()";
}

def ANE_AffineOp
    : ANE_SampledOp<"affine", "x sampled on an affine grid; x [B, C, H, W], transform_matrix [B, 6] -> [B, C, H', W']",
                    (ins ANE_FloatTensor:$x, ANE_FloatTensor:$transform_matrix, ANE_Int:$output_height,
                         ANE_Int:$output_width)>;

def ANE_ResampleOp
    : ANE_SampledOp<"resample",
                    "x sampled at coordinates; x [B, C, H, W], coordinates [B, H', W', 2] as (x, y) -> [B, C, H', W']",
                    (ins ANE_FloatTensor:$x, ANE_NumberTensor:$coordinates)>;

#endif // ANE_IR_OPS_IMAGE_TD
