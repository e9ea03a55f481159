// Round trip: reductions.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @reduce_sum(
// CHECK: ane.reduce_sum %{{.*}} {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
func.func @reduce_sum(%x: tensor<2x3x4xf16>) -> tensor<2x1x1xf16> {
  %0 = ane.reduce_sum %x {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
  return %0 : tensor<2x1x1xf16>
}

// CHECK-LABEL: @reduce_mean(
// CHECK: ane.reduce_mean %{{.*}} {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
func.func @reduce_mean(%x: tensor<2x3x4xf16>) -> tensor<2x1x1xf16> {
  %0 = ane.reduce_mean %x {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
  return %0 : tensor<2x1x1xf16>
}

// CHECK-LABEL: @reduce_max(
// CHECK: ane.reduce_max %{{.*}} {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
func.func @reduce_max(%x: tensor<2x3x4xf16>) -> tensor<2x1x1xf16> {
  %0 = ane.reduce_max %x {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
  return %0 : tensor<2x1x1xf16>
}

// CHECK-LABEL: @reduce_min(
// CHECK: ane.reduce_min %{{.*}} {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
func.func @reduce_min(%x: tensor<2x3x4xf16>) -> tensor<2x1x1xf16> {
  %0 = ane.reduce_min %x {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
  return %0 : tensor<2x1x1xf16>
}

// CHECK-LABEL: @reduce_prod(
// CHECK: ane.reduce_prod %{{.*}} {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
func.func @reduce_prod(%x: tensor<2x3x4xf16>) -> tensor<2x1x1xf16> {
  %0 = ane.reduce_prod %x {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
  return %0 : tensor<2x1x1xf16>
}

// CHECK-LABEL: @reduce_sum_square(
// CHECK: ane.reduce_sum_square %{{.*}} {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
func.func @reduce_sum_square(%x: tensor<2x3x4xf16>) -> tensor<2x1x1xf16> {
  %0 = ane.reduce_sum_square %x {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
  return %0 : tensor<2x1x1xf16>
}

// CHECK-LABEL: @reduce_l1_norm(
// CHECK: ane.reduce_l1_norm %{{.*}} {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
func.func @reduce_l1_norm(%x: tensor<2x3x4xf16>) -> tensor<2x1x1xf16> {
  %0 = ane.reduce_l1_norm %x {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
  return %0 : tensor<2x1x1xf16>
}

// CHECK-LABEL: @reduce_l2_norm(
// CHECK: ane.reduce_l2_norm %{{.*}} {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
func.func @reduce_l2_norm(%x: tensor<2x3x4xf16>) -> tensor<2x1x1xf16> {
  %0 = ane.reduce_l2_norm %x {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
  return %0 : tensor<2x1x1xf16>
}

// CHECK-LABEL: @reduce_log_sum(
// CHECK: ane.reduce_log_sum %{{.*}} {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
func.func @reduce_log_sum(%x: tensor<2x3x4xf16>) -> tensor<2x1x1xf16> {
  %0 = ane.reduce_log_sum %x {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
  return %0 : tensor<2x1x1xf16>
}

// CHECK-LABEL: @reduce_log_sum_exp(
// CHECK: ane.reduce_log_sum_exp %{{.*}} {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
func.func @reduce_log_sum_exp(%x: tensor<2x3x4xf16>) -> tensor<2x1x1xf16> {
  %0 = ane.reduce_log_sum_exp %x {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<2x1x1xf16>
  return %0 : tensor<2x1x1xf16>
}

// CHECK-LABEL: @reduce_all(
// CHECK: ane.reduce_sum %{{.*}} : (tensor<2x3x4xf16>) -> tensor<f16>
func.func @reduce_all(%x: tensor<2x3x4xf16>) -> tensor<f16> {
  %0 = ane.reduce_sum %x : (tensor<2x3x4xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}

// CHECK-LABEL: @reduce_int(
// CHECK: ane.reduce_prod %{{.*}} {axes = array<i64: 0>} : (tensor<2x3xi64>) -> tensor<3xi64>
func.func @reduce_int(%x: tensor<2x3xi64>) -> tensor<3xi64> {
  %0 = ane.reduce_prod %x {axes = array<i64: 0>} : (tensor<2x3xi64>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: @reduce_argmax(
// CHECK: ane.reduce_argmax %{{.*}} {axis = 1 : i64} : (tensor<2x3x4xf16>) -> tensor<2x4xi32>
func.func @reduce_argmax(%x: tensor<2x3x4xf16>) -> tensor<2x4xi32> {
  %0 = ane.reduce_argmax %x {axis = 1} : (tensor<2x3x4xf16>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// CHECK-LABEL: @reduce_argmin(
// CHECK: ane.reduce_argmin %{{.*}} {axis = 1 : i64} : (tensor<2x3x4xf16>) -> tensor<2x4xi32>
func.func @reduce_argmin(%x: tensor<2x3x4xf16>) -> tensor<2x4xi32> {
  %0 = ane.reduce_argmin %x {axis = 1} : (tensor<2x3x4xf16>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// CHECK-LABEL: @reduce_argmax_dtype(
// CHECK: ane.reduce_argmax %{{.*}} {keep_dims = true, output_dtype = "uint16"} : (tensor<2x3x4xf16>) -> tensor<2x3x1xui16>
func.func @reduce_argmax_dtype(%x: tensor<2x3x4xf16>) -> tensor<2x3x1xui16> {
  %0 = ane.reduce_argmax %x {keep_dims = true, output_dtype = "uint16"} : (tensor<2x3x4xf16>) -> tensor<2x3x1xui16>
  return %0 : tensor<2x3x1xui16>
}
