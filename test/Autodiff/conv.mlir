// Gradients of convolutions: for each op, what is built of the loss's gradient (G) by its result.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_W:[a-z0-9]+]]: {{[^,]*}}"w"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.conv_transpose %[[G]], %[[IN_W]] {dilations = array<i64: 1>, output_shape = array<i64: 2, 3, 5>, pad = array<i64: 0, 0>, pad_type = "custom", strides = array<i64: 1>}
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[X]] {shape = array<i64: 2, 1, 3, 5>}
// CHECK-NEXT: %[[C:.*]] = ane.transpose %[[B]] {perm = array<i64: 2, 1, 0, 3>}
// CHECK-NEXT: %[[D:.*]] = ane.reshape %[[C]] {shape = array<i64: 3, 2, 5>}
// CHECK-NEXT: %[[E:.*]] = ane.transpose %[[G]] {perm = array<i64: 1, 0, 2>}
// CHECK-NEXT: %[[H:.*]] = ane.conv %[[D]], %[[E]] {dilations = array<i64: 1>, pad = array<i64: 0, 0>, pad_type = "custom", strides = array<i64: 1>}
// CHECK-NEXT: %[[I:.*]] = ane.transpose %[[H]] {perm = array<i64: 1, 0, 2>}
// CHECK-NEXT: %[[J:.*]] = ane.reduce_sum %[[G]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[K:.*]] = ane.reshape %[[J]] {shape = array<i64: 4>}
// CHECK-NEXT: return %{{.*}}, %[[K]], %[[I]], %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %w: tensor<4x3x2xf32> {ane.io_name = "w"},
                %k: tensor<4xf32> {ane.io_name = "k"}) -> tensor<f32> {
  %y = ane.conv %x, %w bias %k {} : (tensor<2x3x5xf32>, tensor<4x3x2xf32>, tensor<4xf32>) -> tensor<2x4x4xf32>
  %loss = ane.reduce_sum %y : (tensor<2x4x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_W:[a-z0-9]+]]: {{[^,]*}}"w"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.conv %[[G]], %[[IN_W]] {dilations = array<i64: 1>, pad = array<i64: 0, 0>, pad_type = "custom", strides = array<i64: 2>}
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[G]] {shape = array<i64: 2, 1, 2, 9>}
// CHECK-NEXT: %[[C:.*]] = ane.transpose %[[B]] {perm = array<i64: 2, 1, 0, 3>}
// CHECK-NEXT: %[[D:.*]] = ane.reshape %[[C]] {shape = array<i64: 2, 2, 9>}
// CHECK-NEXT: %[[E:.*]] = ane.transpose %[[X]] {perm = array<i64: 1, 0, 2>}
// CHECK-NEXT: %[[H:.*]] = ane.conv %[[D]], %[[E]] {dilations = array<i64: 2>, pad = array<i64: 0, 0>, pad_type = "custom", strides = array<i64: 1>}
// CHECK-NEXT: %[[I:.*]] = ane.transpose %[[H]] {perm = array<i64: 1, 0, 2>}
// CHECK-NEXT: %[[J:.*]] = ane.reduce_sum %[[G]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[K:.*]] = ane.reshape %[[J]] {shape = array<i64: 2>}
// CHECK-NEXT: return %{{.*}}, %[[K]], %[[I]], %[[A]]
func.func @main(%x: tensor<2x3x4xf32> {ane.io_name = "x"}, %w: tensor<3x2x3xf32> {ane.io_name = "w"},
                %k: tensor<2xf32> {ane.io_name = "k"}) -> tensor<f32> {
  %y = ane.conv_transpose %x, %w bias %k {strides = array<i64: 2>} : (tensor<2x3x4xf32>, tensor<3x2x3xf32>, tensor<2xf32>) -> tensor<2x2x9xf32>
  %loss = ane.reduce_sum %y : (tensor<2x2x9xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
