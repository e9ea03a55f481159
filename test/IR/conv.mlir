// Round trip: convolutions.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @conv(
// CHECK: ane.conv %{{.*}}, %{{.*}} : (tensor<1x4x9x8xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x7x6xf16>
func.func @conv(%x: tensor<1x4x9x8xf16>, %w: tensor<6x4x3x3xf16>) -> tensor<1x6x7x6xf16> {
  %0 = ane.conv %x, %w : (tensor<1x4x9x8xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x7x6xf16>
  return %0 : tensor<1x6x7x6xf16>
}

// CHECK-LABEL: @conv_custom(
// CHECK: ane.conv %{{.*}}, %{{.*}} bias %{{.*}} {dilations = array<i64: 2, 1>, groups = 2 : i64, pad = array<i64: 2, 1, 1, 0>, pad_type = "custom", strides = array<i64: 1, 2>} : (tensor<1x4x9x8xf16>, tensor<6x2x3x3xi8>, tensor<6xf16>) -> tensor<1x6x8x4xf16>
func.func @conv_custom(%x: tensor<1x4x9x8xf16>, %w: tensor<6x2x3x3xi8>, %b: tensor<6xf16>) -> tensor<1x6x8x4xf16> {
  %0 = ane.conv %x, %w bias %b {dilations = array<i64: 2, 1>, groups = 2, pad = array<i64: 2, 1, 1, 0>, pad_type = "custom", strides = array<i64: 1, 2>} : (tensor<1x4x9x8xf16>, tensor<6x2x3x3xi8>, tensor<6xf16>) -> tensor<1x6x8x4xf16>
  return %0 : tensor<1x6x8x4xf16>
}

// CHECK-LABEL: @conv_same_1d(
// CHECK: ane.conv %{{.*}}, %{{.*}} {pad_type = "same", strides = array<i64: 2>} : (tensor<1x4x9xf16>, tensor<6x4x4xf16>) -> tensor<1x6x5xf16>
func.func @conv_same_1d(%x: tensor<1x4x9xf16>, %w: tensor<6x4x4xf16>) -> tensor<1x6x5xf16> {
  %0 = ane.conv %x, %w {pad_type = "same", strides = array<i64: 2>} : (tensor<1x4x9xf16>, tensor<6x4x4xf16>) -> tensor<1x6x5xf16>
  return %0 : tensor<1x6x5xf16>
}

// CHECK-LABEL: @conv_3d(
// CHECK: ane.conv %{{.*}}, %{{.*}} {pad_type = "same_lower"} : (tensor<1x4x5x5x5xf16>, tensor<6x4x1x2x3xf16>) -> tensor<1x6x5x5x5xf16>
func.func @conv_3d(%x: tensor<1x4x5x5x5xf16>, %w: tensor<6x4x1x2x3xf16>) -> tensor<1x6x5x5x5xf16> {
  %0 = ane.conv %x, %w {pad_type = "same_lower"} : (tensor<1x4x5x5x5xf16>, tensor<6x4x1x2x3xf16>) -> tensor<1x6x5x5x5xf16>
  return %0 : tensor<1x6x5x5x5xf16>
}

// CHECK-LABEL: @conv_transpose(
// CHECK: ane.conv_transpose %{{.*}}, %{{.*}} {strides = array<i64: 2, 2>} : (tensor<1x4x5x5xf16>, tensor<4x6x3x3xf16>) -> tensor<1x6x11x11xf16>
func.func @conv_transpose(%x: tensor<1x4x5x5xf16>, %w: tensor<4x6x3x3xf16>) -> tensor<1x6x11x11xf16> {
  %0 = ane.conv_transpose %x, %w {strides = array<i64: 2, 2>} : (tensor<1x4x5x5xf16>, tensor<4x6x3x3xf16>) -> tensor<1x6x11x11xf16>
  return %0 : tensor<1x6x11x11xf16>
}

// CHECK-LABEL: @conv_transpose_shape(
// CHECK: ane.conv_transpose %{{.*}}, %{{.*}} bias %{{.*}} {groups = 2 : i64, output_shape = array<i64: 1, 6, 10, 10>, pad = array<i64: 1, 1, 1, 1>, pad_type = "custom", strides = array<i64: 2, 2>} : (tensor<1x4x5x5xf16>, tensor<4x3x3x3xf16>, tensor<6xf16>) -> tensor<1x6x10x10xf16>
func.func @conv_transpose_shape(%x: tensor<1x4x5x5xf16>, %w: tensor<4x3x3x3xf16>, %b: tensor<6xf16>) -> tensor<1x6x10x10xf16> {
  %0 = ane.conv_transpose %x, %w bias %b {groups = 2, output_shape = array<i64: 1, 6, 10, 10>, pad = array<i64: 1, 1, 1, 1>, pad_type = "custom", strides = array<i64: 2, 2>} : (tensor<1x4x5x5xf16>, tensor<4x3x3x3xf16>, tensor<6xf16>) -> tensor<1x6x10x10xf16>
  return %0 : tensor<1x6x10x10xf16>
}

// CHECK-LABEL: @conv_transpose_same(
// CHECK: ane.conv_transpose %{{.*}}, %{{.*}} {pad_type = "same", strides = array<i64: 2>} : (tensor<1x4x5xf16>, tensor<4x6x3xf16>) -> tensor<1x6x10xf16>
func.func @conv_transpose_same(%x: tensor<1x4x5xf16>, %w: tensor<4x6x3xf16>) -> tensor<1x6x10xf16> {
  %0 = ane.conv_transpose %x, %w {pad_type = "same", strides = array<i64: 2>} : (tensor<1x4x5xf16>, tensor<4x6x3xf16>) -> tensor<1x6x10xf16>
  return %0 : tensor<1x6x10xf16>
}
