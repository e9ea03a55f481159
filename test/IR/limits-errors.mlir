// Sizes from hostile files neither overflow nor wrap.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x3xf16>) {
  // expected-error @+2 {{does not hold the 6 elements of x}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reshape %x {shape = array<i64: 9223372036854775807, 4, -1>} : (tensor<2x3xf16>) -> tensor<6xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3xf16>) {
  // expected-error @+2 {{has more than 1099511627776 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.tile %x {reps = array<i64: 9223372036854775807, 4>} : (tensor<2x3xf16>) -> tensor<6xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3xf16>) {
  // expected-error @+2 {{has more than 1099511627776 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.pad %x {pad = array<i64: 9223372036854775807, 9223372036854775807>} : (tensor<2x3xf16>) -> tensor<6xf16>
  return
}

// -----

func.func @f(%v: tensor<f16>) {
  // expected-error @+2 {{a result of shape [4294967296, 4294967296] has more than 1099511627776 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.fill %v {shape = array<i64: 4294967296, 4294967296>} : (tensor<f16>) -> tensor<6xf16>
  return
}

// -----

func.func @f(%x: tensor<1048576x1xf16>, %y: tensor<1x2097152xf16>) {
  // expected-error @+1 {{a result of shape [1048576, 2097152] has more than 1099511627776 elements}}
  %0 = ane.add %x, %y : tensor<1048576x1xf16>, tensor<1x2097152xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9xf16>, %w: tensor<6x4x3xf16>) {
  // expected-error @+2 {{dilations [9223372036854775807] has an entry outside [1, 1073741824]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv %x, %w {dilations = array<i64: 9223372036854775807>} : (tensor<1x4x9xf16>, tensor<6x4x3xf16>) -> tensor<1x6x7xf16>
  return
}

// -----

func.func @f(%x: tensor<8xf16>) {
  // expected-error @+2 {{begin 4 and size 9223372036854775807 reach outside axis 0 of size 8}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.slice_by_size %x {begin = array<i64: 4>, size = array<i64: 9223372036854775807>} : (tensor<8xf16>) -> tensor<4xf16>
  return
}

// -----

func.func @f(%x: tensor<1x1x4x4xf16>) {
  // expected-error @+2 {{has more than 1099511627776 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.upsample_nearest_neighbor %x {scale_factor_height = 9223372036854775807} : (tensor<1x1x4x4xf16>) -> tensor<1x1x4x4xf16>
  return
}
