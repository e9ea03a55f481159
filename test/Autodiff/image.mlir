// Gradients of resizing: for each op, what is built of the loss's gradient (G) by its result.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 1, 2, 2, 2, 3, 3>}
// CHECK-NEXT: %[[B:.*]] = ane.reduce_sum %[[A]] {axes = array<i64: 3, 5>, keep_dims = true}
// CHECK-NEXT: %[[C:.*]] = ane.reshape %[[B]] {shape = array<i64: 1, 2, 2, 3>}
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<1x2x2x3xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.upsample_nearest_neighbor %x {scale_factor_height = 2 : i64, scale_factor_width = 3 : i64} : (tensor<1x2x2x3xf32>) -> tensor<1x2x4x9xf32>
  %loss = ane.reduce_sum %y : (tensor<1x2x4x9xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [7.500000e-01, 2.500000e-01], [2.500000e-01, 7.500000e-01], [0.000000e+00, 1.000000e+00]]> : tensor<4x2xf32>
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[G]] {shape = array<i64: 2, 4, 6>}
// CHECK-NEXT: %[[C:.*]] = ane.matmul %[[A]], %[[B]] {transpose_x = true}
// CHECK-NEXT: %[[D:.*]] = ane.reshape %[[C]] {shape = array<i64: 1, 2, 2, 6>}
// CHECK-NEXT: %[[E:.*]] = ane.const dense<
// CHECK-NEXT: %[[H:.*]] = ane.reshape %[[D]] {shape = array<i64: 4, 6>}
// CHECK-NEXT: %[[I:.*]] = ane.matmul %[[H]], %[[E]]
// CHECK-NEXT: %[[J:.*]] = ane.reshape %[[I]] {shape = array<i64: 1, 2, 2, 3>}
// CHECK-NEXT: return %{{.*}}, %[[J]]
func.func @main(%x: tensor<1x2x2x3xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.upsample_bilinear %x {scale_factor_height = 2 : i64, scale_factor_width = 2 : i64, align_corners = false} : (tensor<1x2x2x3xf32>) -> tensor<1x2x4x6xf32>
  %loss = ane.reduce_sum %y : (tensor<1x2x4x6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[G]] {shape = array<i64: 2, 5, 2>}
// CHECK-NEXT: %[[C:.*]] = ane.matmul %[[A]], %[[B]] {transpose_x = true}
// CHECK-NEXT: %[[D:.*]] = ane.reshape %[[C]] {shape = array<i64: 1, 2, 3, 2>}
// CHECK-NEXT: %[[E:.*]] = ane.const dense<{{\[\[}}1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 1.000000e+00, 0.000000e+00]]> : tensor<2x4xf32>
// CHECK-NEXT: %[[H:.*]] = ane.reshape %[[D]] {shape = array<i64: 6, 2>}
// CHECK-NEXT: %[[I:.*]] = ane.matmul %[[H]], %[[E]]
// CHECK-NEXT: %[[J:.*]] = ane.reshape %[[I]] {shape = array<i64: 1, 2, 3, 4>}
// CHECK-NEXT: return %{{.*}}, %[[J]]
func.func @main(%x: tensor<1x2x3x4xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.resize_nearest_neighbor %x {target_size_height = 5 : i64, target_size_width = 2 : i64} : (tensor<1x2x3x4xf32>) -> tensor<1x2x5x2xf32>
  %loss = ane.reduce_sum %y : (tensor<1x2x5x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[G]] {shape = array<i64: 2, 5, 2>}
// CHECK-NEXT: %[[C:.*]] = ane.matmul %[[A]], %[[B]] {transpose_x = true}
// CHECK-NEXT: %[[D:.*]] = ane.reshape %[[C]] {shape = array<i64: 1, 2, 3, 2>}
// CHECK-NEXT: %[[E:.*]] = ane.const dense<{{\[\[}}1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00, 1.000000e+00]]> : tensor<2x4xf32>
// CHECK-NEXT: %[[H:.*]] = ane.reshape %[[D]] {shape = array<i64: 6, 2>}
// CHECK-NEXT: %[[I:.*]] = ane.matmul %[[H]], %[[E]]
// CHECK-NEXT: %[[J:.*]] = ane.reshape %[[I]] {shape = array<i64: 1, 2, 3, 4>}
// CHECK-NEXT: return %{{.*}}, %[[J]]
func.func @main(%x: tensor<1x2x3x4xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.resize_bilinear %x {target_size_height = 5 : i64, target_size_width = 2 : i64, sampling_mode = "STRICT_ALIGN_CORNERS"} : (tensor<1x2x3x4xf32>) -> tensor<1x2x5x2xf32>
  %loss = ane.reduce_sum %y : (tensor<1x2x5x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[G]] {shape = array<i64: 2, 5, 2>}
// CHECK-NEXT: %[[C:.*]] = ane.matmul %[[A]], %[[B]] {transpose_x = true}
// CHECK-NEXT: %[[D:.*]] = ane.reshape %[[C]] {shape = array<i64: 1, 2, 3, 2>}
// CHECK-NEXT: %[[E:.*]] = ane.const dense<{{\[\[}}1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 1.000000e+00, 0.000000e+00]]> : tensor<2x4xf32>
// CHECK-NEXT: %[[H:.*]] = ane.reshape %[[D]] {shape = array<i64: 6, 2>}
// CHECK-NEXT: %[[I:.*]] = ane.matmul %[[H]], %[[E]]
// CHECK-NEXT: %[[J:.*]] = ane.reshape %[[I]] {shape = array<i64: 1, 2, 3, 4>}
// CHECK-NEXT: return %{{.*}}, %[[J]]
func.func @main(%x: tensor<1x2x3x4xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.resize %x {shape = array<i64: 0, 2, 5, 2>, resized_dims = 2 : i64} : (tensor<1x2x3x4xf32>) -> tensor<1x2x5x2xf32>
  %loss = ane.reduce_sum %y : (tensor<1x2x5x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
