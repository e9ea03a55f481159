// Round trip: shape, order and whole of tensors.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @reshape(
// CHECK: ane.reshape %{{.*}} {shape = array<i64: 0, -1, 2>} : (tensor<2x3x4xf16>) -> tensor<2x6x2xf16>
func.func @reshape(%x: tensor<2x3x4xf16>) -> tensor<2x6x2xf16> {
  %0 = ane.reshape %x {shape = array<i64: 0, -1, 2>} : (tensor<2x3x4xf16>) -> tensor<2x6x2xf16>
  return %0 : tensor<2x6x2xf16>
}

// CHECK-LABEL: @reshape_like(
// CHECK: ane.reshape_like %{{.*}}, %{{.*}}, %{{.*}} {begins = array<i64: 0, 1>, end_masks = array<i1: false, true>, ends = array<i64: 1, 0>} : (tensor<24xf16>, tensor<2x9xi32>, tensor<9x3x4xi32>) -> tensor<2x3x4xf16>
func.func @reshape_like(%x: tensor<24xf16>, %a: tensor<2x9xi32>, %b: tensor<9x3x4xi32>) -> tensor<2x3x4xf16> {
  %0 = ane.reshape_like %x, %a, %b {begins = array<i64: 0, 1>, end_masks = array<i1: false, true>, ends = array<i64: 1, 0>} : (tensor<24xf16>, tensor<2x9xi32>, tensor<9x3x4xi32>) -> tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @expand_dims(
// CHECK: ane.expand_dims %{{.*}} {axes = array<i64: 0, -1>} : (tensor<3x4xf16>) -> tensor<1x3x4x1xf16>
func.func @expand_dims(%x: tensor<3x4xf16>) -> tensor<1x3x4x1xf16> {
  %0 = ane.expand_dims %x {axes = array<i64: 0, -1>} : (tensor<3x4xf16>) -> tensor<1x3x4x1xf16>
  return %0 : tensor<1x3x4x1xf16>
}

// CHECK-LABEL: @squeeze(
// CHECK: ane.squeeze %{{.*}} : (tensor<1x3x1xf16>) -> tensor<3xf16>
func.func @squeeze(%x: tensor<1x3x1xf16>) -> tensor<3xf16> {
  %0 = ane.squeeze %x : (tensor<1x3x1xf16>) -> tensor<3xf16>
  return %0 : tensor<3xf16>
}

// CHECK-LABEL: @squeeze_axes(
// CHECK: ane.squeeze %{{.*}} {axes = array<i64: -1>} : (tensor<1x3x1xf16>) -> tensor<1x3xf16>
func.func @squeeze_axes(%x: tensor<1x3x1xf16>) -> tensor<1x3xf16> {
  %0 = ane.squeeze %x {axes = array<i64: -1>} : (tensor<1x3x1xf16>) -> tensor<1x3xf16>
  return %0 : tensor<1x3xf16>
}

// CHECK-LABEL: @flatten2d(
// CHECK: ane.flatten2d %{{.*}} {axis = 2 : i64} : (tensor<2x3x4xf16>) -> tensor<6x4xf16>
func.func @flatten2d(%x: tensor<2x3x4xf16>) -> tensor<6x4xf16> {
  %0 = ane.flatten2d %x {axis = 2} : (tensor<2x3x4xf16>) -> tensor<6x4xf16>
  return %0 : tensor<6x4xf16>
}

// CHECK-LABEL: @shape(
// CHECK: ane.shape %{{.*}} : (tensor<2x3x4xf16>) -> tensor<3xi32>
func.func @shape(%x: tensor<2x3x4xf16>) -> tensor<3xi32> {
  %0 = ane.shape %x : (tensor<2x3x4xf16>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// CHECK-LABEL: @transpose(
// CHECK: ane.transpose %{{.*}} {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf16>) -> tensor<4x2x3xf16>
func.func @transpose(%x: tensor<2x3x4xf16>) -> tensor<4x2x3xf16> {
  %0 = ane.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf16>) -> tensor<4x2x3xf16>
  return %0 : tensor<4x2x3xf16>
}

// CHECK-LABEL: @reverse(
// CHECK: ane.reverse %{{.*}} {axes = array<i64: 1>} : tensor<2x3x4xf16>
func.func @reverse(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.reverse %x {axes = array<i64: 1>} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @reverse_sequence(
// CHECK: ane.reverse_sequence %{{.*}}, %{{.*}} {seq_axis = 1 : i64} : tensor<2x3x4xf16>, tensor<2xi32>
func.func @reverse_sequence(%x: tensor<2x3x4xf16>, %l: tensor<2xi32>) -> tensor<2x3x4xf16> {
  %0 = ane.reverse_sequence %x, %l {seq_axis = 1} : tensor<2x3x4xf16>, tensor<2xi32>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @concat(
// CHECK: ane.concat %{{.*}}, %{{.*}} {axis = 2 : i64} : (tensor<2x3x4xf16>, tensor<2x3x1xf16>) -> tensor<2x3x5xf16>
func.func @concat(%x: tensor<2x3x4xf16>, %y: tensor<2x3x1xf16>) -> tensor<2x3x5xf16> {
  %0 = ane.concat %x, %y {axis = 2} : (tensor<2x3x4xf16>, tensor<2x3x1xf16>) -> tensor<2x3x5xf16>
  return %0 : tensor<2x3x5xf16>
}

// CHECK-LABEL: @concat_interleave(
// CHECK: ane.concat %{{.*}}, %{{.*}} {axis = 1 : i64, interleave = true} : (tensor<2x3x4xf16>, tensor<2x3x4xf16>) -> tensor<2x6x4xf16>
func.func @concat_interleave(%x: tensor<2x3x4xf16>, %y: tensor<2x3x4xf16>) -> tensor<2x6x4xf16> {
  %0 = ane.concat %x, %y {axis = 1, interleave = true} : (tensor<2x3x4xf16>, tensor<2x3x4xf16>) -> tensor<2x6x4xf16>
  return %0 : tensor<2x6x4xf16>
}

// CHECK-LABEL: @stack(
// CHECK: ane.stack %{{.*}}, %{{.*}} {axis = -1 : i64} : (tensor<2x3x4xf16>, tensor<2x3x4xf16>) -> tensor<2x3x4x2xf16>
func.func @stack(%x: tensor<2x3x4xf16>, %y: tensor<2x3x4xf16>) -> tensor<2x3x4x2xf16> {
  %0 = ane.stack %x, %y {axis = -1} : (tensor<2x3x4xf16>, tensor<2x3x4xf16>) -> tensor<2x3x4x2xf16>
  return %0 : tensor<2x3x4x2xf16>
}

// CHECK-LABEL: @tile(
// CHECK: ane.tile %{{.*}} {reps = array<i64: 1, 2, 3>} : (tensor<2x3x4xf16>) -> tensor<2x6x12xf16>
func.func @tile(%x: tensor<2x3x4xf16>) -> tensor<2x6x12xf16> {
  %0 = ane.tile %x {reps = array<i64: 1, 2, 3>} : (tensor<2x3x4xf16>) -> tensor<2x6x12xf16>
  return %0 : tensor<2x6x12xf16>
}

// CHECK-LABEL: @pad(
// CHECK: ane.pad %{{.*}} {constant_val = 1.000000e+00 : f64, pad = array<i64: 0, 1, 2, 3>} : (tensor<2x3x4xf16>) -> tensor<2x4x9xf16>
func.func @pad(%x: tensor<2x3x4xf16>) -> tensor<2x4x9xf16> {
  %0 = ane.pad %x {constant_val = 1.000000e+00, pad = array<i64: 0, 1, 2, 3>} : (tensor<2x3x4xf16>) -> tensor<2x4x9xf16>
  return %0 : tensor<2x4x9xf16>
}

// CHECK-LABEL: @pad_reflect(
// CHECK: ane.pad %{{.*}} {mode = "reflect", pad = array<i64: 2, 3>} : (tensor<2x3x4xf16>) -> tensor<2x3x9xf16>
func.func @pad_reflect(%x: tensor<2x3x4xf16>) -> tensor<2x3x9xf16> {
  %0 = ane.pad %x {mode = "reflect", pad = array<i64: 2, 3>} : (tensor<2x3x4xf16>) -> tensor<2x3x9xf16>
  return %0 : tensor<2x3x9xf16>
}

// CHECK-LABEL: @depth_to_space(
// CHECK: ane.depth_to_space %{{.*}} {block_size = 2 : i64} : (tensor<1x8x4x6xf16>) -> tensor<1x2x8x12xf16>
func.func @depth_to_space(%x: tensor<1x8x4x6xf16>) -> tensor<1x2x8x12xf16> {
  %0 = ane.depth_to_space %x {block_size = 2} : (tensor<1x8x4x6xf16>) -> tensor<1x2x8x12xf16>
  return %0 : tensor<1x2x8x12xf16>
}

// CHECK-LABEL: @space_to_depth(
// CHECK: ane.space_to_depth %{{.*}} {block_size = 2 : i64} : (tensor<1x8x4x6xf16>) -> tensor<1x32x2x3xf16>
func.func @space_to_depth(%x: tensor<1x8x4x6xf16>) -> tensor<1x32x2x3xf16> {
  %0 = ane.space_to_depth %x {block_size = 2} : (tensor<1x8x4x6xf16>) -> tensor<1x32x2x3xf16>
  return %0 : tensor<1x32x2x3xf16>
}

// CHECK-LABEL: @pixel_shuffle(
// CHECK: ane.pixel_shuffle %{{.*}} {upscale_factor = 2 : i64} : (tensor<1x8x4x6xf16>) -> tensor<1x2x8x12xf16>
func.func @pixel_shuffle(%x: tensor<1x8x4x6xf16>) -> tensor<1x2x8x12xf16> {
  %0 = ane.pixel_shuffle %x {upscale_factor = 2} : (tensor<1x8x4x6xf16>) -> tensor<1x2x8x12xf16>
  return %0 : tensor<1x2x8x12xf16>
}

// CHECK-LABEL: @pixel_unshuffle(
// CHECK: ane.pixel_unshuffle %{{.*}} {downscale_factor = 2 : i64} : (tensor<1x8x4x6xf16>) -> tensor<1x32x2x3xf16>
func.func @pixel_unshuffle(%x: tensor<1x8x4x6xf16>) -> tensor<1x32x2x3xf16> {
  %0 = ane.pixel_unshuffle %x {downscale_factor = 2} : (tensor<1x8x4x6xf16>) -> tensor<1x32x2x3xf16>
  return %0 : tensor<1x32x2x3xf16>
}

// CHECK-LABEL: @batch_to_space(
// CHECK: ane.batch_to_space %{{.*}} {block_shape = array<i64: 2, 3>, crops = array<i64: 0, 1, 1, 2>} : (tensor<6x1x4x4xf16>) -> tensor<1x1x7x9xf16>
func.func @batch_to_space(%x: tensor<6x1x4x4xf16>) -> tensor<1x1x7x9xf16> {
  %0 = ane.batch_to_space %x {block_shape = array<i64: 2, 3>, crops = array<i64: 0, 1, 1, 2>} : (tensor<6x1x4x4xf16>) -> tensor<1x1x7x9xf16>
  return %0 : tensor<1x1x7x9xf16>
}

// CHECK-LABEL: @space_to_batch(
// CHECK: ane.space_to_batch %{{.*}} {block_shape = array<i64: 2, 3>, paddings = array<i64: 0, 1, 1, 2>} : (tensor<1x1x7x9xf16>) -> tensor<6x1x4x4xf16>
func.func @space_to_batch(%x: tensor<1x1x7x9xf16>) -> tensor<6x1x4x4xf16> {
  %0 = ane.space_to_batch %x {block_shape = array<i64: 2, 3>, paddings = array<i64: 0, 1, 1, 2>} : (tensor<1x1x7x9xf16>) -> tensor<6x1x4x4xf16>
  return %0 : tensor<6x1x4x4xf16>
}
