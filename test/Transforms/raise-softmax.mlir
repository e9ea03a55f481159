// RUN: ane-opt %s --ane-raise-composites | FileCheck %s

// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: %[[S:.*]] = ane.softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: return %[[S]]
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = ane.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = ane.sub %x, %m : tensor<4x8xf32>, tensor<4x1xf32>
  %e = ane.exp %d : tensor<4x8xf32>
  %s = ane.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %r = ane.real_div %e, %s : tensor<4x8xf32>, tensor<4x1xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @log_softmax
// CHECK-NEXT: %[[S:.*]] = ane.log_softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: return %[[S]]
func.func @log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = ane.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = ane.sub %x, %m : tensor<4x8xf32>, tensor<4x1xf32>
  %e = ane.exp %d : tensor<4x8xf32>
  %s = ane.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %l = ane.log %s {epsilon = 0.0 : f64} : tensor<4x1xf32>
  %r = ane.sub %d, %l : tensor<4x8xf32>, tensor<4x1xf32>
  return %r : tensor<4x8xf32>
}

// The sum is over another axis.
// CHECK-LABEL: func.func @other
// CHECK-NOT: ane.softmax
// CHECK: ane.real_div
func.func @other(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %m = ane.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<8x8xf32>) -> tensor<8x1xf32>
  %d = ane.sub %x, %m : tensor<8x8xf32>, tensor<8x1xf32>
  %e = ane.exp %d : tensor<8x8xf32>
  %s = ane.reduce_sum %e {axes = array<i64: 0>, keep_dims = true} : (tensor<8x8xf32>) -> tensor<1x8xf32>
  %r = ane.real_div %e, %s : tensor<8x8xf32>, tensor<1x8xf32>
  return %r : tensor<8x8xf32>
}
