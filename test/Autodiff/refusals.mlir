// Ops through which no gradient can flow are named, with the model's node, before anything is built.
// RUN: not ane-opt %s --ane-autodiff='wrt=x' --split-input-file 2>&1 >/dev/null | FileCheck %s

// CHECK: error: {{.*}}'ane.affine' op can't be differentiated: sampling at computed coordinates has no rule; remedy: freeze the weights
// CHECK-SAME: whose gradients pass it (frozen), or differentiate an output that does not depend on it (loss)
// CHECK: imported from ONNX node 'stn/warp'
// CHECK: error: {{.*}}'ane.topk' op can't be differentiated: it returns no indices
// CHECK: imported from ONNX node 'stn/best'
func.func @main(%x: tensor<1x1x2x2xf32> {ane.io_name = "x"}, %m: tensor<1x6xf32>) -> tensor<f32> {
  %0 = ane.affine %x, %m {sampling_mode = "bilinear", padding_mode = "border", padding_value = 0.0 : f64,
      coordinates_mode = "unnormalized", align_corners = true, output_height = 2 : i64, output_width = 2 : i64}
      : (tensor<1x1x2x2xf32>, tensor<1x6xf32>) -> tensor<1x1x2x2xf32> loc("stn/warp")
  %1 = ane.topk %0 {k = 1 : i64, return_indices = false} : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x1xf32> loc("stn/best")
  %2 = ane.reduce_sum %1 : (tensor<1x1x2x1xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// CHECK: error: {{.*}}'ane.crop_resize' op can't be differentiated: sampling at computed coordinates has no rule
func.func @main(%x: tensor<1x2x4x6xf32> {ane.io_name = "x"}, %b: tensor<7x4xf32>) -> tensor<f32> {
  %0 = ane.crop_resize %x, %b {target_height = 1 : i64, target_width = 1 : i64}
      : (tensor<1x2x4x6xf32>, tensor<7x4xf32>) -> tensor<7x2x1x1xf32>
  %1 = ane.reduce_sum %0 : (tensor<7x2x1x1xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// CHECK: error: {{.*}}'ane.dequantize' op can't be differentiated: the scale of a quantised tensor is a constant of the model
func.func @main(%q: tensor<4xi8>, %x: tensor<f32> {ane.io_name = "x"}) -> tensor<f32> {
  %0 = ane.dequantize %q, %x : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  %1 = ane.reduce_sum %0 : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// CHECK: error: {{.*}}'ane.constexpr_affine_dequantize' op can't be differentiated: a compressed constant is decoded when a bundle is written, before any run
func.func @main(%x: tensor<8xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %q = ane.const dense<1> : tensor<8x4xi8>
  %z = ane.const dense<0> : tensor<i8>
  %0 = ane.constexpr_affine_dequantize %q, %z, %x {axis = 0 : i64} : (tensor<8x4xi8>, tensor<i8>, tensor<8xf32>) -> tensor<8x4xf32>
  %1 = ane.reduce_sum %0 : (tensor<8x4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// CHECK: error: {{.*}}'ane.scatter' op can't be differentiated: mode 'mul' has no gradient where two updates meet one element
func.func @main(%x: tensor<4xf32> {ane.io_name = "x"}, %i: tensor<2xi32>, %u: tensor<2xf32>) -> tensor<f32> {
  %0 = ane.scatter %x, %i, %u {mode = "mul"} : tensor<4xf32>, tensor<2xi32>, tensor<2xf32>
  %1 = ane.reduce_sum %0 : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// CHECK: error: {{.*}}'ane.rope' op can't be differentiated: its angles are taken for constants
func.func @main(%q: tensor<2x3x4xf32>, %x: tensor<3x2xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %s = ane.sin %x : tensor<3x2xf32>
  %0 = ane.rope %q, %x, %s : tensor<2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>
  %1 = ane.reduce_sum %0 : (tensor<2x3x4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// CHECK: error: {{.*}}'ane.layer_norm' op can't be differentiated: its axes are not in ascending order
func.func @main(%q: tensor<2x3xf32>, %x: tensor<3x2xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %0 = ane.layer_norm %q gamma %x {axes = array<i64: 1, 0>} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  %1 = ane.reduce_sum %0 : (tensor<2x3xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// CHECK: error: {{.*}}'ane.rnn' op can't be differentiated: it has 257 steps, which are unrolled; limit: 256
func.func @main(%x: tensor<257x1x1xf32> {ane.io_name = "x"}, %h: tensor<1x1xf32>, %w: tensor<1x1xf32>) -> tensor<f32> {
  %0, %1 = ane.rnn %x, %h, %w, %w : (tensor<257x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>)
      -> (tensor<1x1x1xf32>, tensor<1x1xf32>)
  %2 = ane.reduce_sum %0 : (tensor<1x1x1xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// CHECK: error: {{.*}}'ane.lstm' op can't be differentiated: its sums are clipped
func.func @main(%x: tensor<2x1x1xf32> {ane.io_name = "x"}, %h: tensor<1x1xf32>, %w: tensor<4x1xf32>) -> tensor<f32> {
  %0, %1, %2 = ane.lstm %x, %h, %h, %w, %w {clip = 1.0 : f64}
      : (tensor<2x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
      -> (tensor<1x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>)
  %3 = ane.reduce_sum %0 : (tensor<1x1x1xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}
