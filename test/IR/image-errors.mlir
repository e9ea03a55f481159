// What the verifiers refuse: image resizing.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<1x2x4x6xf16>) {
  // expected-error @+2 {{scale factors 0 and 1 must be positive}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.upsample_nearest_neighbor %x {scale_factor_height = 0} : (tensor<1x2x4x6xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<4x6xf16>) {
  // expected-error @+2 {{x has rank 2, needs 3 or more: [..., H, W]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.upsample_bilinear %x : (tensor<4x6xf16>) -> tensor<4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>) {
  // expected-error @+2 {{height 0 and width 1 must be positive}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.resize_nearest_neighbor %x {target_size_height = 0, target_size_width = 1} : (tensor<1x2x4x6xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>) {
  // expected-error @+2 {{sampling_mode is 'HALF', expected one of STRICT_ALIGN_CORNERS, ALIGN_CORNERS, DEFAULT, OFFSET_CORNERS, UNALIGN_CORNERS}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.resize_bilinear %x {sampling_mode = "HALF"} : (tensor<1x2x4x6xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>) {
  // expected-error @+2 {{resized_dims is 3, must be 1 to 2 (rank of x and entries of shape)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.resize %x {resized_dims = 3, shape = array<i64: 1, 2>} : (tensor<1x2x4x6xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>) {
  // expected-error @+2 {{interpolation_mode is 'CUBIC', expected one of LINEAR, NEAREST_NEIGHBOR}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.resize %x {interpolation_mode = "CUBIC", resized_dims = 2, shape = array<i64: 1, 2>} : (tensor<1x2x4x6xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>) {
  // expected-error @+2 {{shape [1, -2] has a negative size}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.resize %x {resized_dims = 2, shape = array<i64: 1, -2>} : (tensor<1x2x4x6xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>) {
  // expected-error @+2 {{expected x of rank 3 or more and two entries in crop_height and crop_width, got rank 4, [1] and [0, 0]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.crop %x {crop_height = array<i64: 1>, crop_width = array<i64: 0, 0>} : (tensor<1x2x4x6xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>) {
  // expected-error @+2 {{crop_height [2, 2] and crop_width [0, 0] leave nothing of 4 x 6, or are negative}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.crop %x {crop_height = array<i64: 2, 2>, crop_width = array<i64: 0, 0>} : (tensor<1x2x4x6xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %b: tensor<7x4xf16>) {
  // expected-error @+2 {{x has rank 3, expected 4: [B, C, H, W]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.crop_resize %x, %b : (tensor<2x3x4xf16>, tensor<7x4xf16>) -> tensor<7x3x1x1xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>, %b: tensor<7x5xf16>) {
  // expected-error @+2 {{boxes have shape [7, 5], expected [N, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.crop_resize %x, %b : (tensor<1x2x4x6xf16>, tensor<7x5xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>, %b: tensor<7x4xf16>, %i: tensor<6xi32>) {
  // expected-error @+2 {{box_indices has shape [6], expected [7]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.crop_resize %x, %b, %i : (tensor<1x2x4x6xf16>, tensor<7x4xf16>, tensor<6xi32>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>, %b: tensor<7x4xf16>) {
  // expected-error @+2 {{box_coordinate_mode is 'CORNERS', expected one of CORNERS_HEIGHT_FIRST}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.crop_resize %x, %b {box_coordinate_mode = "CORNERS"} : (tensor<1x2x4x6xf16>, tensor<7x4xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>, %b: tensor<7x4xf16>) {
  // expected-error @+2 {{target_height 0 and target_width 1 must be positive}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.crop_resize %x, %b {target_height = 0} : (tensor<1x2x4x6xf16>, tensor<7x4xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>, %m: tensor<2x6xf16>) {
  // expected-error @+2 {{transform_matrix has shape [2, 6], expected [1, 6] or [1, 6]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.affine %x, %m {align_corners = true, coordinates_mode = "unnormalized", padding_value = 0.0, output_height = 1, output_width = 1, padding_mode = "border", sampling_mode = "nearest"} : (tensor<1x2x4x6xf16>, tensor<2x6xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>, %m: tensor<1x6xf16>) {
  // expected-error @+2 {{padding_mode is 'zeros', expected one of constant, border, reflection, symmetric}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.affine %x, %m {align_corners = true, coordinates_mode = "unnormalized", padding_value = 0.0, output_height = 1, output_width = 1, padding_mode = "zeros", sampling_mode = "nearest"} : (tensor<1x2x4x6xf16>, tensor<1x6xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>, %c: tensor<1x3x5x3xf16>) {
  // expected-error @+2 {{coordinates have shape [1, 3, 5, 3], expected [1, H, W, 2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.resample %x, %c {align_corners = true, coordinates_mode = "unnormalized", padding_value = 0.0, padding_mode = "border", sampling_mode = "nearest"} : (tensor<1x2x4x6xf16>, tensor<1x3x5x3xf16>) -> tensor<1x2x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x2x4x6xf16>, %c: tensor<1x3x5x2xf16>) {
  // expected-error @+2 {{sampling_mode is 'cubic', expected one of nearest, bilinear}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.resample %x, %c {align_corners = true, coordinates_mode = "unnormalized", padding_value = 0.0, padding_mode = "border", sampling_mode = "cubic"} : (tensor<1x2x4x6xf16>, tensor<1x3x5x2xf16>) -> tensor<1x2x4x6xf16>
  return
}
