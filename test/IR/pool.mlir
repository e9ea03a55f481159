// Round trip: pooling.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @max_pool(
// CHECK: ane.max_pool %{{.*}} {kernel_sizes = array<i64: 3, 2>, pad_type = "valid", strides = array<i64: 2, 2>} : (tensor<1x4x9x8xf16>) -> tensor<1x4x4x4xf16>
func.func @max_pool(%x: tensor<1x4x9x8xf16>) -> tensor<1x4x4x4xf16> {
  %0 = ane.max_pool %x {kernel_sizes = array<i64: 3, 2>, pad_type = "valid", strides = array<i64: 2, 2>} : (tensor<1x4x9x8xf16>) -> tensor<1x4x4x4xf16>
  return %0 : tensor<1x4x4x4xf16>
}

// CHECK-LABEL: @avg_pool(
// CHECK: ane.avg_pool %{{.*}} {exclude_padding_from_average = true, kernel_sizes = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, pad_type = "custom"} : (tensor<1x4x9x8xf16>) -> tensor<1x4x9x8xf16>
func.func @avg_pool(%x: tensor<1x4x9x8xf16>) -> tensor<1x4x9x8xf16> {
  %0 = ane.avg_pool %x {exclude_padding_from_average = true, kernel_sizes = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, pad_type = "custom"} : (tensor<1x4x9x8xf16>) -> tensor<1x4x9x8xf16>
  return %0 : tensor<1x4x9x8xf16>
}

// CHECK-LABEL: @max_pool_ceil(
// CHECK: ane.max_pool %{{.*}} {ceil_mode = true, kernel_sizes = array<i64: 3>, pad_type = "valid", strides = array<i64: 2>} : (tensor<1x4x6xf16>) -> tensor<1x4x3xf16>
func.func @max_pool_ceil(%x: tensor<1x4x6xf16>) -> tensor<1x4x3xf16> {
  %0 = ane.max_pool %x {ceil_mode = true, kernel_sizes = array<i64: 3>, pad_type = "valid", strides = array<i64: 2>} : (tensor<1x4x6xf16>) -> tensor<1x4x3xf16>
  return %0 : tensor<1x4x3xf16>
}

// CHECK-LABEL: @l2_pool(
// CHECK: ane.l2_pool %{{.*}} {kernel_sizes = array<i64: 3, 3>, pad_type = "same", strides = array<i64: 2, 2>} : (tensor<1x4x9x8xf16>) -> tensor<1x4x5x4xf16>
func.func @l2_pool(%x: tensor<1x4x9x8xf16>) -> tensor<1x4x5x4xf16> {
  %0 = ane.l2_pool %x {kernel_sizes = array<i64: 3, 3>, pad_type = "same", strides = array<i64: 2, 2>} : (tensor<1x4x9x8xf16>) -> tensor<1x4x5x4xf16>
  return %0 : tensor<1x4x5x4xf16>
}
