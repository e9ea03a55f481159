// Gradients of what moves elements: for each op, what is built of the loss's gradient (G) by its result.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 2, 3, 5>}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reshape %x {shape = array<i64: 5, -1>} : (tensor<2x3x5xf32>) -> tensor<5x6xf32>
  %loss = ane.reduce_sum %y : (tensor<5x6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 2, 3, 5>}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %z = ane.const dense<0.5> : tensor<6x5xf32>
  %y = ane.reshape_like %x, %z {begins = array<i64: 0>, ends = array<i64: 2>, end_masks = array<i1: false>} : (tensor<2x3x5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
  %loss = ane.reduce_sum %y : (tensor<6x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 2, 3>}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.expand_dims %x {axes = array<i64: 0, 2>} : (tensor<2x3xf32>) -> tensor<1x2x1x3xf32>
  %loss = ane.reduce_sum %y : (tensor<1x2x1x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 2, 1, 3, 1>}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x1x3x1xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.squeeze %x : (tensor<2x1x3x1xf32>) -> tensor<2x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 2, 3, 5>}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.flatten2d %x {axis = 2 : i64} : (tensor<2x3x5xf32>) -> tensor<6x5xf32>
  %loss = ane.reduce_sum %y : (tensor<6x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.transpose %[[G]] {perm = array<i64: 1, 2, 0>}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<2x3x5xf32>) -> tensor<5x2x3xf32>
  %loss = ane.reduce_sum %y : (tensor<5x2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.relayout %[[G]] expand [5, 6] perm [1, 0]
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.relayout %x expand [6, 5] perm [1, 0] : tensor<2x3x5xf32> -> tensor<5x1x6xf32>
  %loss = ane.reduce_sum %y : (tensor<5x1x6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reverse %[[G]] {axes = array<i64: 0, -1>}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reverse %x {axes = array<i64: 0, -1>} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_N:[a-z0-9]+]]: {{[^,]*}}"n"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reverse_sequence %[[G]], %[[IN_N]] {seq_axis = 1 : i64}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %n: tensor<2xi32> {ane.io_name = "n"}) -> tensor<f32> {
  %y = ane.reverse_sequence %x, %n {seq_axis = 1 : i64} : tensor<2x3x5xf32>, tensor<2xi32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reverse %[[G]] {axes = array<i64: 1>}
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[A]] {shape = array<i64: 1, 1, 3, 1, 3, 1>}
// CHECK-NEXT: %[[C:.*]] = ane.pad %[[B]] {pad = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1>}
// CHECK-NEXT: %[[D:.*]] = ane.reshape %[[C]] {shape = array<i64: 1, 3, 6>}
// CHECK-NEXT: %[[E:.*]] = ane.slice_by_size %[[D]] {begin = array<i64: 0, 0, 0>, size = array<i64: 1, 3, 5>}
// CHECK-NEXT: %[[H:.*]] = ane.pad %[[E]] {pad = array<i64: 1, 0, 0, 0, 0, 0>}
// CHECK-NEXT: return %{{.*}}, %[[H]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.slice_by_index %x {begin = array<i64: 1, -1, 0>, end = array<i64: 2, -4, 5>, stride = array<i64: 1, -1, 2>, end_mask = array<i1: false, true, false>} : (tensor<2x3x5xf32>) -> tensor<1x3x3xf32>
  %loss = ane.reduce_sum %y : (tensor<1x3x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.pad %[[G]] {pad = array<i64: 0, 0, 1, 1, 2, 0>}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.slice_by_size %x {begin = array<i64: 0, 1, 2>, size = array<i64: 2, 1, -1>} : (tensor<2x3x5xf32>) -> tensor<2x1x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x1x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.fill %[[A]] {shape = array<i64: 2, 1, 3>} : (tensor<f32>) -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[C:.*]] = ane.slice_update %[[G]], %[[B]] {begin = array<i64: 0, 1, 0>, end = array<i64: 2, 2, 5>, stride = array<i64: 1, 1, 2>}
// CHECK-NEXT: %[[D:.*]] = ane.slice_by_index %[[G]] {begin = array<i64: 0, 1, 0>, end = array<i64: 2, 2, 5>, stride = array<i64: 1, 1, 2>}
// CHECK-NEXT: return %{{.*}}, %[[D]], %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %u: tensor<2x1x3xf32> {ane.io_name = "u"}) -> tensor<f32> {
  %y = ane.slice_update %x, %u {begin = array<i64: 0, 1, 0>, end = array<i64: 2, 2, 5>, stride = array<i64: 1, 1, 2>} : tensor<2x3x5xf32>, tensor<2x1x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.fill %[[A]] {shape = array<i64: 2, 3, 3>} : (tensor<f32>) -> tensor<2x3x3xf32>
// CHECK-NEXT: %[[C:.*]] = ane.concat %[[G]], %[[B]] {axis = 2 : i64}
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y, %other = ane.split %x {split_sizes = array<i64: 2, 3>, axis = -1 : i64} : (tensor<2x3x5xf32>) -> (tensor<2x3x2xf32>, tensor<2x3x3xf32>)
  %loss = ane.reduce_sum %y : (tensor<2x3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 2, 3, 6>}
// CHECK-NEXT: %[[B:.*]] = ane.const dense<
// CHECK-NEXT: %[[C:.*]] = ane.reshape %[[A]] {shape = array<i64: 6, 6>}
// CHECK-NEXT: %[[D:.*]] = ane.matmul %[[C]], %[[B]]
// CHECK-NEXT: %[[E:.*]] = ane.reshape %[[D]] {shape = array<i64: 2, 3, 5>}
// CHECK-NEXT: return %{{.*}}, %[[E]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.sliding_windows %x {axis = 2 : i64, size = 3 : i64, stride = 2 : i64} : (tensor<2x3x5xf32>) -> tensor<2x3x2x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.band_part %[[G]] {lower = 1 : i64, upper = 0 : i64}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.band_part %x {lower = 1 : i64, upper = 0 : i64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.slice_by_size %[[G]] {begin = array<i64: 0, 0>, size = array<i64: 2, 3>}
// CHECK-NEXT: %[[B:.*]] = ane.slice_by_size %[[G]] {begin = array<i64: 0, 3>, size = array<i64: 2, 2>}
// CHECK-NEXT: return %{{.*}}, %[[A]], %[[B]]
func.func @main(%x: tensor<2x3xf32> {ane.io_name = "x"}, %z: tensor<2x2xf32> {ane.io_name = "z"}) -> tensor<f32> {
  %y = ane.concat %x, %z {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.slice_by_size %[[G]] {begin = array<i64: 0, 0, 0>, size = array<i64: 2, 1, 3>}
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[A]] {shape = array<i64: 2, 3>}
// CHECK-NEXT: %[[C:.*]] = ane.slice_by_size %[[G]] {begin = array<i64: 0, 1, 0>, size = array<i64: 2, 1, 3>}
// CHECK-NEXT: %[[D:.*]] = ane.reshape %[[C]] {shape = array<i64: 2, 3>}
// CHECK-NEXT: %[[E:.*]] = ane.slice_by_size %[[G]] {begin = array<i64: 0, 2, 0>, size = array<i64: 2, 1, 3>}
// CHECK-NEXT: %[[H:.*]] = ane.reshape %[[E]] {shape = array<i64: 2, 3>}
// CHECK-NEXT: %[[I:.*]] = ane.add %[[B]], %[[H]]
// CHECK-NEXT: return %{{.*}}, %[[I]], %[[D]]
func.func @main(%x: tensor<2x3xf32> {ane.io_name = "x"}, %z: tensor<2x3xf32> {ane.io_name = "z"}) -> tensor<f32> {
  %y = ane.stack %x, %z, %x {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: ane.reduce_sum
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 2, 2, 1, 3, 3, 5>}
// CHECK-NEXT: %[[B:.*]] = ane.reduce_sum %[[A]] {axes = array<i64: 0, 2, 4>, keep_dims = true}
// CHECK-NEXT: %[[C:.*]] = ane.reshape %[[B]] {shape = array<i64: 2, 3, 5>}
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.tile %x {reps = array<i64: 2, 1, 3>} : (tensor<2x3x5xf32>) -> tensor<4x3x15xf32>
  %loss = ane.reduce_sum %y : (tensor<4x3x15xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reduce_sum %[[G]] {axes = array<i64: 0, 1>, keep_dims = true}
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[A]] {shape = array<i64>}
// CHECK-NEXT: return %{{.*}}, %[[B]]
func.func @main(%x: tensor<f32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.fill %x {shape = array<i64: 2, 3>} : (tensor<f32>) -> tensor<2x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reduce_sum %[[G]] {axes = array<i64: 0, 1>, keep_dims = true}
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[A]] {shape = array<i64>}
// CHECK-NEXT: return %{{.*}}, %[[B]]
func.func @main(%x: tensor<f32> {ane.io_name = "x"}) -> tensor<f32> {
  %z = ane.const dense<0.5> : tensor<2x3xf32>
  %y = ane.fill_like %z, %x : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<
// CHECK-NEXT: %[[B:.*]] = ane.matmul %[[A]], %[[G]] {transpose_x = true}
// CHECK-NEXT: %[[C:.*]] = ane.const dense<
// CHECK-NEXT: %[[D:.*]] = ane.reshape %[[B]] {shape = array<i64: 6, 8>}
// CHECK-NEXT: %[[E:.*]] = ane.matmul %[[D]], %[[C]]
// CHECK-NEXT: %[[H:.*]] = ane.reshape %[[E]] {shape = array<i64: 2, 3, 5>}
// CHECK-NEXT: return %{{.*}}, %[[H]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.pad %x {pad = array<i64: 1, 2, 3, 0>, mode = "reflect"} : (tensor<2x3x5xf32>) -> tensor<2x6x8xf32>
  %loss = ane.reduce_sum %y : (tensor<2x6x8xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.space_to_depth %[[G]] {block_size = 2 : i64}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<1x8x2x3xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.depth_to_space %x {block_size = 2 : i64} : (tensor<1x8x2x3xf32>) -> tensor<1x2x4x6xf32>
  %loss = ane.reduce_sum %y : (tensor<1x2x4x6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.depth_to_space %[[G]] {block_size = 2 : i64}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<1x2x4x6xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.space_to_depth %x {block_size = 2 : i64} : (tensor<1x2x4x6xf32>) -> tensor<1x8x2x3xf32>
  %loss = ane.reduce_sum %y : (tensor<1x8x2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.pixel_unshuffle %[[G]] {downscale_factor = 2 : i64}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<1x8x2x3xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.pixel_shuffle %x {upscale_factor = 2 : i64} : (tensor<1x8x2x3xf32>) -> tensor<1x2x4x6xf32>
  %loss = ane.reduce_sum %y : (tensor<1x2x4x6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.pixel_shuffle %[[G]] {upscale_factor = 2 : i64}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<1x2x4x6xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.pixel_unshuffle %x {downscale_factor = 2 : i64} : (tensor<1x2x4x6xf32>) -> tensor<1x8x2x3xf32>
  %loss = ane.reduce_sum %y : (tensor<1x8x2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.space_to_batch %[[G]] {block_shape = array<i64: 2, 1>, paddings = array<i64: 1, 0, 0, 1>}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x2x2x3xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.batch_to_space %x {block_shape = array<i64: 2, 1>, crops = array<i64: 1, 0, 0, 1>} : (tensor<2x2x2x3xf32>) -> tensor<1x2x3x2xf32>
  %loss = ane.reduce_sum %y : (tensor<1x2x3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.batch_to_space %[[G]] {block_shape = array<i64: 2, 1>, crops = array<i64: 1, 0, 0, 1>}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<1x2x3x2xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.space_to_batch %x {block_shape = array<i64: 2, 1>, paddings = array<i64: 1, 0, 0, 1>} : (tensor<1x2x3x2xf32>) -> tensor<2x2x2x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x2x2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.pad %[[G]] {pad = array<i64: 0, 0, 0, 0, 1, 0, 1, 2>}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<1x2x4x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.crop %x {crop_height = array<i64: 1, 0>, crop_width = array<i64: 1, 2>} : (tensor<1x2x4x5xf32>) -> tensor<1x2x3x2xf32>
  %loss = ane.reduce_sum %y : (tensor<1x2x3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
