// Gradients of matrix products: for each op, what is built of the loss's gradient (G) by its result.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_Z:[a-z0-9]+]]: {{[^,]*}}"z"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.matmul %[[G]], %[[IN_Z]] {transpose_y = true}
// CHECK-NEXT: %[[B:.*]] = ane.matmul %[[X]], %[[G]] {transpose_x = true}
// CHECK-NEXT: return %{{.*}}, %[[A]], %[[B]]
func.func @main(%x: tensor<2x3x4xf32> {ane.io_name = "x"}, %z: tensor<2x4x2xf32> {ane.io_name = "z"}) -> tensor<f32> {
  %y = ane.matmul %x, %z {transpose_x = false, transpose_y = false} : (tensor<2x3x4xf32>, tensor<2x4x2xf32>) -> tensor<2x3x2xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_W:[a-z0-9]+]]: {{[^,]*}}"w"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 6, 4>}
// CHECK-NEXT: %[[B:.*]] = ane.matmul %[[G]], %[[IN_W]]
// CHECK-NEXT: %[[C:.*]] = ane.reshape %[[X]] {shape = array<i64: 6, 5>}
// CHECK-NEXT: %[[D:.*]] = ane.matmul %[[A]], %[[C]] {transpose_x = true}
// CHECK-NEXT: %[[E:.*]] = ane.reduce_sum %[[A]] {axes = array<i64: 0>, keep_dims = true}
// CHECK-NEXT: %[[H:.*]] = ane.reshape %[[E]] {shape = array<i64: 4>}
// CHECK-NEXT: return %{{.*}}, %[[H]], %[[D]], %[[B]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %w: tensor<4x5xf32> {ane.io_name = "w"},
                %k: tensor<4xf32> {ane.io_name = "k"}) -> tensor<f32> {
  %y = ane.linear %x, %w bias %k : (tensor<2x3x5xf32>, tensor<4x5xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_Z:[a-z0-9]+]]: {{[^,]*}}"z"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.einsum %[[G]], %[[IN_Z]] {equation = "ac,bc->ab"}
// CHECK-NEXT: %[[B:.*]] = ane.einsum %[[G]], %[[X]] {equation = "ac,ab->bc"}
// CHECK-NEXT: return %{{.*}}, %[[A]], %[[B]]
func.func @main(%x: tensor<2x3xf32> {ane.io_name = "x"}, %z: tensor<3x4xf32> {ane.io_name = "z"}) -> tensor<f32> {
  %y = ane.einsum %x, %z {equation = "ab,bc->ac"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %loss = ane.reduce_sum %y : (tensor<2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
