// RUN: ane-opt %s --ane-autodiff='wrt=x' --split-input-file | FileCheck %s
// RUN: ane-opt %s --ane-autodiff='wrt=x accumulate=true loss-scale=true' --split-input-file | FileCheck %s --check-prefix=ADD

// The loss comes first, then gradients; what several users give is added.
// CHECK-LABEL: func.func @main(
// CHECK-LABEL: func.func @main_gradients(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32> {ane.io_name = "x"}, %[[Z:.*]]: tensor<4xf32> {ane.io_name = "z"})
// CHECK-SAME: -> (tensor<f32> {ane.io_name = "loss"}, tensor<4xf32> {ane.io_name = "grad.x"})
// CHECK: %[[S:.*]] = ane.sin %[[X]]
// CHECK: %[[P:.*]] = ane.mul %[[S]], %[[X]]
// CHECK: %[[L:.*]] = ane.reduce_sum
// CHECK: %[[ONE:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK: %[[G:.*]] = ane.tile
// CHECK: %[[A:.*]] = ane.mul %[[G]], %[[X]]
// CHECK: %[[B:.*]] = ane.mul %[[G]], %[[S]]
// CHECK: %[[C:.*]] = ane.cos %[[X]]
// CHECK: %[[D:.*]] = ane.mul %[[A]], %[[C]]
// CHECK: %[[E:.*]] = ane.add %[[B]], %[[D]]
// CHECK: return %[[L]], %[[E]]
// ADD-LABEL: func.func @main_gradients(
// ADD-SAME: %{{.*}}: tensor<4xf32> {ane.io_name = "z"}, %[[SCALE:.*]]: tensor<f32> {ane.io_name = "loss_scale"}, %[[OLD:.*]]: tensor<4xf32> {ane.io_name = "grad.x"})
// ADD: ane.reshape %[[SCALE]]
// ADD: %[[SUM:.*]] = ane.add %[[OLD]],
// ADD: return %{{.*}}, %[[SUM]]
func.func @main(%x: tensor<4xf32> {ane.io_name = "x"}, %z: tensor<4xf32> {ane.io_name = "z"})
    -> (tensor<f32> {ane.io_name = "loss"}, tensor<4xf32> {ane.io_name = "y"}) {
  %0 = ane.sin %x : tensor<4xf32>
  %1 = ane.mul %0, %x : tensor<4xf32>, tensor<4xf32>
  %2 = ane.add %1, %z : tensor<4xf32>, tensor<4xf32>
  %3 = ane.reduce_sum %2 : (tensor<4xf32>) -> tensor<f32>
  return %3, %2 : tensor<f32>, tensor<4xf32>
}

// -----

// Nothing is built for what does not lead to the loss, or does not change with x: the op without a rule is no hindrance.
// CHECK-LABEL: func.func @main_gradients(
// CHECK-NOT: ane.affine
// CHECK-NOT: ane.exp
// CHECK: return
// ADD-LABEL: func.func @main_gradients(
func.func @main(%x: tensor<1x1x2x2xf32> {ane.io_name = "x"}, %m: tensor<1x6xf32> {ane.io_name = "m"})
    -> (tensor<f32> {ane.io_name = "loss"}, tensor<1x1x2x2xf32> {ane.io_name = "y"}) {
  %0 = ane.affine %x, %m {sampling_mode = "bilinear", padding_mode = "border", padding_value = 0.0 : f64,
      coordinates_mode = "unnormalized", align_corners = true, output_height = 2 : i64, output_width = 2 : i64}
      : (tensor<1x1x2x2xf32>, tensor<1x6xf32>) -> tensor<1x1x2x2xf32>
  %1 = ane.exp %0 : tensor<1x1x2x2xf32>
  %2 = ane.reduce_sum_square %x : (tensor<1x1x2x2xf32>) -> tensor<f32>
  return %2, %1 : tensor<f32>, tensor<1x1x2x2xf32>
}
