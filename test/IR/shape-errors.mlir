// What the verifiers refuse: shape, order and whole of tensors.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{shape [5, 5] does not hold the 24 elements of x [2, 3, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reshape %x {shape = array<i64: 5, 5>} : (tensor<2x3x4xf16>) -> tensor<5x5xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{shape [5, -1] does not hold the 24 elements of x [2, 3, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reshape %x {shape = array<i64: 5, -1>} : (tensor<2x3x4xf16>) -> tensor<5x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{shape [-1, -1] does not hold the 24 elements of x [2, 3, 4] (one entry may be -1)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reshape %x {shape = array<i64: -1, -1>} : (tensor<2x3x4xf16>) -> tensor<4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %r: tensor<24xf16>) {
  // expected-error @+2 {{begins, ends and end_masks have 1, 2 and 1 entries for 1 ref_tensors}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reshape_like %x, %r {begins = array<i64: 0>, ends = array<i64: 1, 2>, end_masks = array<i1: false>} : (tensor<2x3x4xf16>, tensor<24xf16>) -> tensor<24xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %r: tensor<24xf16>) {
  // expected-error @+2 {{axes 0 to 2 of ref_tensors[0] don't exist: its rank is 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reshape_like %x, %r {begins = array<i64: 0>, ends = array<i64: 2>, end_masks = array<i1: false>} : (tensor<2x3x4xf16>, tensor<24xf16>) -> tensor<24xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %r: tensor<23xf16>) {
  // expected-error @+2 {{shape [23] does not hold the 24 elements of x}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reshape_like %x, %r {begins = array<i64: 0>, ends = array<i64: 1>, end_masks = array<i1: false>} : (tensor<2x3x4xf16>, tensor<23xf16>) -> tensor<23xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{axes 4 is out of range [-4, 3] for rank 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.expand_dims %x {axes = array<i64: 4>} : (tensor<2x3x4xf16>) -> tensor<2x3x4x1xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{axis 1 of x [2, 3, 4] has size 3, only size 1 can be squeezed}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.squeeze %x {axes = array<i64: 1>} : (tensor<2x3x4xf16>) -> tensor<2x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{axis 4 is out of range [-3, 3] for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.flatten2d %x {axis = 4} : (tensor<2x3x4xf16>) -> tensor<24x1xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{perm has 2 entries for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.transpose %x {perm = array<i64: 0, 1>} : (tensor<2x3x4xf16>) -> tensor<2x3xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{perm [0, 1, 1] names axis 1 twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.transpose %x {perm = array<i64: 0, 1, 1>} : (tensor<2x3x4xf16>) -> tensor<2x3x3xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{perm 3 is out of range [-3, 2] for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.transpose %x {perm = array<i64: 0, 1, 3>} : (tensor<2x3x4xf16>) -> tensor<2x3x3xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{perm [0, 1, -1] has a negative entry}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.transpose %x {perm = array<i64: 0, 1, -1>} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+1 {{axes 3 is out of range [-3, 2] for rank 3}}
  %0 = ane.reverse %x {axes = array<i64: 3>} : tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %l: tensor<3xi32>) {
  // expected-error @+1 {{lengths has shape [3], expected [2]}}
  %0 = ane.reverse_sequence %x, %l {seq_axis = 1} : tensor<2x3x4xf16>, tensor<3xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %l: tensor<2xi32>) {
  // expected-error @+1 {{seq_axis 3 is out of range [-3, 2] for rank 3}}
  %0 = ane.reverse_sequence %x, %l {seq_axis = 3} : tensor<2x3x4xf16>, tensor<2xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %y: tensor<2x4x4xf16>) {
  // expected-error @+2 {{values[1] is 'tensor<2x4x4xf16>' and differs from values[0], 'tensor<2x3x4xf16>', in more than axis 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.concat %x, %y {axis = 2} : (tensor<2x3x4xf16>, tensor<2x4x4xf16>) -> tensor<2x3x8xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %y: tensor<2x3x4xf32>) {
  // expected-error @+2 {{values[1] is 'tensor<2x3x4xf32>' and differs from values[0]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.concat %x, %y {axis = 2} : (tensor<2x3x4xf16>, tensor<2x3x4xf32>) -> tensor<2x3x8xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %y: tensor<2x3x1xf16>) {
  // expected-error @+2 {{interleave needs equal sizes along axis 2, got 4 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.concat %x, %y {axis = 2, interleave = true} : (tensor<2x3x4xf16>, tensor<2x3x1xf16>) -> tensor<2x3x5xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{axis 3 is out of range [-3, 2] for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.concat %x {axis = 3} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f() {
  // expected-error @+2 {{values are empty}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.concat  {axis = 0} : () -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %y: tensor<2x3x1xf16>) {
  // expected-error @+2 {{values[1] is 'tensor<2x3x1xf16>' and differs from values[0], 'tensor<2x3x4xf16>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.stack %x, %y {axis = 0} : (tensor<2x3x4xf16>, tensor<2x3x1xf16>) -> tensor<2x2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{axis 4 is out of range [-4, 3] for rank 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.stack %x {axis = 4} : (tensor<2x3x4xf16>) -> tensor<1x2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{reps has 2 entries for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.tile %x {reps = array<i64: 1, 2>} : (tensor<2x3x4xf16>) -> tensor<2x6x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{reps [1, 2, 0] must all be 1 or more}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.tile %x {reps = array<i64: 1, 2, 0>} : (tensor<2x3x4xf16>) -> tensor<2x6x0xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{pad has 3 entries, expected two for each of at most 3 axes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.pad %x {pad = array<i64: 1, 2, 3>} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{mode is 'wrap', expected constant, reflect or replicate}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.pad %x {mode = "wrap", pad = array<i64: 1, 2>} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{pad [1, 4]: 4 on an axis of size 4 is impossible in mode 'reflect'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.pad %x {mode = "reflect", pad = array<i64: 1, 4>} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{pad [-1, 4]: -1 on an axis of size 4 is impossible in mode 'constant'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.pad %x {pad = array<i64: -1, 4>} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<1x8x4x6xf16>) {
  // expected-error @+2 {{the square of block_size 3 does not divide 8 channels}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.depth_to_space %x {block_size = 3} : (tensor<1x8x4x6xf16>) -> tensor<1x8x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{x has rank 3, expected 4: [N, C, H, W]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.depth_to_space %x {block_size = 2} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<1x8x4x6xf16>) {
  // expected-error @+2 {{the square of upscale_factor 4 does not divide 8 channels}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.pixel_shuffle %x {upscale_factor = 4} : (tensor<1x8x4x6xf16>) -> tensor<1x8x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x8x4x6xf16>) {
  // expected-error @+2 {{block_size 4 does not divide height 4 and width 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.space_to_depth %x {block_size = 4} : (tensor<1x8x4x6xf16>) -> tensor<1x8x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x8x4x6xf16>) {
  // expected-error @+2 {{downscale_factor 3 does not divide height 4 and width 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.pixel_unshuffle %x {downscale_factor = 3} : (tensor<1x8x4x6xf16>) -> tensor<1x8x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x8x4x6xf16>) {
  // expected-error @+2 {{block_shape [2, 2] with crops [0, 0, 0, 0] does not fit x [1, 8, 4, 6]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.batch_to_space %x {block_shape = array<i64: 2, 2>, crops = array<i64: 0, 0, 0, 0>} : (tensor<1x8x4x6xf16>) -> tensor<1x8x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x8x4x6xf16>) {
  // expected-error @+2 {{block_shape [2] must be two positive sizes up to 1048576}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.batch_to_space %x {block_shape = array<i64: 2>, crops = array<i64: 0, 0, 0, 0>} : (tensor<1x8x4x6xf16>) -> tensor<1x8x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x8x4x6xf16>) {
  // expected-error @+2 {{block_shape [2, 2] does not divide the padded height 5 and width 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.space_to_batch %x {block_shape = array<i64: 2, 2>, paddings = array<i64: 0, 1, 0, 0>} : (tensor<1x8x4x6xf16>) -> tensor<1x8x4x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x8x4x6xf16>) {
  // expected-error @+2 {{paddings [0, 1] must be begin and end of height, begin and end of width}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.space_to_batch %x {block_shape = array<i64: 2, 2>, paddings = array<i64: 0, 1>} : (tensor<1x8x4x6xf16>) -> tensor<1x8x4x6xf16>
  return
}
