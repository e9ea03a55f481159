// Round trip: image resizing.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @upsample_nearest_neighbor(
// CHECK: ane.upsample_nearest_neighbor %{{.*}} {scale_factor_height = 2 : i64, scale_factor_width = 3 : i64} : (tensor<1x2x4x6xf16>) -> tensor<1x2x8x18xf16>
func.func @upsample_nearest_neighbor(%x: tensor<1x2x4x6xf16>) -> tensor<1x2x8x18xf16> {
  %0 = ane.upsample_nearest_neighbor %x {scale_factor_height = 2, scale_factor_width = 3} : (tensor<1x2x4x6xf16>) -> tensor<1x2x8x18xf16>
  return %0 : tensor<1x2x8x18xf16>
}

// CHECK-LABEL: @upsample_bilinear(
// CHECK: ane.upsample_bilinear %{{.*}} {align_corners = false, half_pixel_centers = true, scale_factor_height = 2 : i64} : (tensor<1x2x4x6xf16>) -> tensor<1x2x8x6xf16>
func.func @upsample_bilinear(%x: tensor<1x2x4x6xf16>) -> tensor<1x2x8x6xf16> {
  %0 = ane.upsample_bilinear %x {align_corners = false, half_pixel_centers = true, scale_factor_height = 2} : (tensor<1x2x4x6xf16>) -> tensor<1x2x8x6xf16>
  return %0 : tensor<1x2x8x6xf16>
}

// CHECK-LABEL: @resize_nearest_neighbor(
// CHECK: ane.resize_nearest_neighbor %{{.*}} {target_size_height = 3 : i64, target_size_width = 5 : i64} : (tensor<1x2x4x6xf16>) -> tensor<1x2x3x5xf16>
func.func @resize_nearest_neighbor(%x: tensor<1x2x4x6xf16>) -> tensor<1x2x3x5xf16> {
  %0 = ane.resize_nearest_neighbor %x {target_size_height = 3, target_size_width = 5} : (tensor<1x2x4x6xf16>) -> tensor<1x2x3x5xf16>
  return %0 : tensor<1x2x3x5xf16>
}

// CHECK-LABEL: @resize_bilinear(
// CHECK: ane.resize_bilinear %{{.*}} {sampling_mode = "UNALIGN_CORNERS", target_size_height = 3 : i64, target_size_width = 5 : i64} : (tensor<1x2x4x6xf16>) -> tensor<1x2x3x5xf16>
func.func @resize_bilinear(%x: tensor<1x2x4x6xf16>) -> tensor<1x2x3x5xf16> {
  %0 = ane.resize_bilinear %x {sampling_mode = "UNALIGN_CORNERS", target_size_height = 3, target_size_width = 5} : (tensor<1x2x4x6xf16>) -> tensor<1x2x3x5xf16>
  return %0 : tensor<1x2x3x5xf16>
}

// CHECK-LABEL: @resize(
// CHECK: ane.resize %{{.*}} {interpolation_mode = "NEAREST_NEIGHBOR", resized_dims = 2 : i64, shape = array<i64: 0, 9>} : (tensor<1x2x4x6xf16>) -> tensor<1x2x4x9xf16>
func.func @resize(%x: tensor<1x2x4x6xf16>) -> tensor<1x2x4x9xf16> {
  %0 = ane.resize %x {interpolation_mode = "NEAREST_NEIGHBOR", resized_dims = 2, shape = array<i64: 0, 9>} : (tensor<1x2x4x6xf16>) -> tensor<1x2x4x9xf16>
  return %0 : tensor<1x2x4x9xf16>
}

// CHECK-LABEL: @crop(
// CHECK: ane.crop %{{.*}} {crop_height = array<i64: 1, 1>, crop_width = array<i64: 0, 2>} : (tensor<1x2x4x6xf16>) -> tensor<1x2x2x4xf16>
func.func @crop(%x: tensor<1x2x4x6xf16>) -> tensor<1x2x2x4xf16> {
  %0 = ane.crop %x {crop_height = array<i64: 1, 1>, crop_width = array<i64: 0, 2>} : (tensor<1x2x4x6xf16>) -> tensor<1x2x2x4xf16>
  return %0 : tensor<1x2x2x4xf16>
}

// CHECK-LABEL: @crop_resize(
// CHECK: ane.crop_resize %{{.*}}, %{{.*}}, %{{.*}} {target_height = 3 : i64, target_width = 5 : i64} : (tensor<1x2x4x6xf16>, tensor<7x4xf16>, tensor<7xi32>) -> tensor<7x2x3x5xf16>
func.func @crop_resize(%x: tensor<1x2x4x6xf16>, %b: tensor<7x4xf16>, %i: tensor<7xi32>) -> tensor<7x2x3x5xf16> {
  %0 = ane.crop_resize %x, %b, %i {target_height = 3, target_width = 5} : (tensor<1x2x4x6xf16>, tensor<7x4xf16>, tensor<7xi32>) -> tensor<7x2x3x5xf16>
  return %0 : tensor<7x2x3x5xf16>
}

// CHECK-LABEL: @affine(
// CHECK: ane.affine %{{.*}}, %{{.*}} {align_corners = true, coordinates_mode = "normalized_minus_one_to_one", output_height = 3 : i64, output_width = 5 : i64, padding_mode = "constant", padding_value = 0.000000e+00 : f64, sampling_mode = "bilinear"} : (tensor<1x2x4x6xf16>, tensor<1x6xf16>) -> tensor<1x2x3x5xf16>
func.func @affine(%x: tensor<1x2x4x6xf16>, %m: tensor<1x6xf16>) -> tensor<1x2x3x5xf16> {
  %0 = ane.affine %x, %m {align_corners = true, coordinates_mode = "normalized_minus_one_to_one", output_height = 3, output_width = 5, padding_mode = "constant", padding_value = 0.000000e+00, sampling_mode = "bilinear"} : (tensor<1x2x4x6xf16>, tensor<1x6xf16>) -> tensor<1x2x3x5xf16>
  return %0 : tensor<1x2x3x5xf16>
}

// CHECK-LABEL: @resample(
// CHECK: ane.resample %{{.*}}, %{{.*}} {align_corners = true, coordinates_mode = "normalized_minus_one_to_one", padding_mode = "border", padding_value = 0.000000e+00 : f64, sampling_mode = "nearest"} : (tensor<1x2x4x6xf16>, tensor<1x3x5x2xf16>) -> tensor<1x2x3x5xf16>
func.func @resample(%x: tensor<1x2x4x6xf16>, %m: tensor<1x3x5x2xf16>) -> tensor<1x2x3x5xf16> {
  %0 = ane.resample %x, %m {align_corners = true, coordinates_mode = "normalized_minus_one_to_one", padding_mode = "border", padding_value = 0.000000e+00, sampling_mode = "nearest"} : (tensor<1x2x4x6xf16>, tensor<1x3x5x2xf16>) -> tensor<1x2x3x5xf16>
  return %0 : tensor<1x2x3x5xf16>
}
