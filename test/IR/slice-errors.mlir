// What the verifiers refuse: parts of tensors.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{begin has 1 entries for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.slice_by_index %x {begin = array<i64: 0>, end = array<i64: 1, 1, 1>} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{stride of axis 1 is 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.slice_by_index %x {begin = array<i64: 0, 0, 0>, end = array<i64: 1, 1, 1>, stride = array<i64: 1, 0, 1>} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{begin 3 of squeezed axis 1 is outside its size 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.slice_by_index %x {begin = array<i64: 0, 3, 0>, end = array<i64: 1, 1, 1>, squeeze_mask = array<i1: false, true, false>} : (tensor<2x3x4xf16>) -> tensor<1x1xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{end_mask has 1 entries for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.slice_by_index %x {begin = array<i64: 0, 0, 0>, end = array<i64: 1, 1, 1>, end_mask = array<i1: true>} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{begin 2 and size 2 reach outside axis 1 of size 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.slice_by_size %x {begin = array<i64: 0, 2, 0>, size = array<i64: 1, 2, 1>} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{begin has 2 entries for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.slice_by_size %x {begin = array<i64: 0, 0>, size = array<i64: 1, 2, 1>} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %u: tensor<2x3xf16>) {
  // expected-error @+1 {{update has shape [2, 3], the slice [2, 3, 1]}}
  %0 = ane.slice_update %x, %u {begin = array<i64: 0, 0, 0>, end = array<i64: 2, 3, 1>} : tensor<2x3x4xf16>, tensor<2x3xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %u: tensor<f16>) {
  // expected-error @+1 {{update is a scalar, expected rank 1 or more}}
  %0 = ane.slice_update %x, %u {begin = array<i64: 0, 0, 0>, end = array<i64: 1, 1, 1>, squeeze_mask = array<i1: true, true, true>} : tensor<2x3x4xf16>, tensor<f16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %u: tensor<2x3x1xf32>) {
  // expected-error @+1 {{x has elements of type 'f16', update of type 'f32'}}
  %0 = ane.slice_update %x, %u {begin = array<i64: 0, 0, 0>, end = array<i64: 2, 3, 1>} : tensor<2x3x4xf16>, tensor<2x3x1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{num_splits 2 does not divide axis 1 of size 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.split %x {axis = 1, num_splits = 2} : (tensor<2x3x4xf16>) -> (tensor<2x1x4xf16>, tensor<2x2x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{split_sizes [1, 1] add up to 2, axis 1 has size 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.split %x {axis = 1, split_sizes = array<i64: 1, 1>} : (tensor<2x3x4xf16>) -> (tensor<2x1x4xf16>, tensor<2x1x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{split_sizes [4, -1] has an entry outside [0, 3], the size of axis 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.split %x {axis = 1, split_sizes = array<i64: 4, -1>} : (tensor<2x3x4xf16>) -> (tensor<2x4x4xf16>, tensor<2x1x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{num_splits is 3, but split_sizes has 2 entries}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.split %x {axis = 1, num_splits = 3, split_sizes = array<i64: 1, 2>} : (tensor<2x3x4xf16>) -> (tensor<2x1x4xf16>, tensor<2x2x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{needs num_splits or split_sizes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.split %x {axis = 1} : (tensor<2x3x4xf16>) -> (tensor<2x1x4xf16>, tensor<2x2x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{windows of size 4 and stride 1 don't fit axis 1 of size 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.sliding_windows %x {axis = 1, size = 4} : (tensor<2x3x4xf16>) -> tensor<2x1x4x4xf16>
  return
}

// -----

func.func @f(%x: tensor<4xf16>) {
  // expected-error @+1 {{x has rank 1, needs 2 or more}}
  %0 = ane.band_part %x : tensor<4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+1 {{lower -2 and upper -1 must be -1 (all) or more}}
  %0 = ane.band_part %x {lower = -2} : tensor<2x3x4xf16>
  return
}
