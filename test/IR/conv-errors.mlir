// What the verifiers refuse: convolutions.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<1x4x9x8xf16>, %w: tensor<6x3x3x3xf16>) {
  // expected-error @+2 {{x has 4 channels, weight [6, 3, 3, 3] with groups 1 takes 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv %x, %w : (tensor<1x4x9x8xf16>, tensor<6x3x3x3xf16>) -> tensor<1x6x7x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>, %w: tensor<6x4x3x3xf16>) {
  // expected-error @+2 {{groups 4 does not divide axis 0 of weight [6, 4, 3, 3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv %x, %w {groups = 4} : (tensor<1x4x9x8xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x7x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4xf16>, %w: tensor<6x4xf16>) {
  // expected-error @+2 {{x has rank 2, expected 3 to 5: [N, C, D...]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv %x, %w : (tensor<1x4xf16>, tensor<6x4xf16>) -> tensor<1x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>, %w: tensor<6x4x3xf16>) {
  // expected-error @+2 {{weight has rank 3, x rank 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv %x, %w : (tensor<1x4x9x8xf16>, tensor<6x4x3xf16>) -> tensor<1x6x7x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>, %w: tensor<6x4x3x3xf16>, %b: tensor<4xf16>) {
  // expected-error @+2 {{bias has shape [4], expected [6]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv %x, %w bias %b : (tensor<1x4x9x8xf16>, tensor<6x4x3x3xf16>, tensor<4xf16>) -> tensor<1x6x7x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>, %w: tensor<6x4x3x3xf16>) {
  // expected-error @+2 {{pad_type is 'full', expected valid, custom, same or same_lower}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv %x, %w {pad_type = "full"} : (tensor<1x4x9x8xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x7x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>, %w: tensor<6x4x3x3xf16>) {
  // expected-error @+2 {{strides has 1 entries, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv %x, %w {strides = array<i64: 1>} : (tensor<1x4x9x8xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x7x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>, %w: tensor<6x4x3x3xf16>) {
  // expected-error @+2 {{strides [1, 0] has an entry outside [1, 1073741824]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv %x, %w {strides = array<i64: 1, 0>} : (tensor<1x4x9x8xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x7x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>, %w: tensor<6x4x3x3xf16>) {
  // expected-error @+2 {{pad has 2 entries, expected 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv %x, %w {pad_type = "custom", pad = array<i64: 1, 1>} : (tensor<1x4x9x8xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x7x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>, %w: tensor<6x4x3x3xf16>) {
  // expected-error @+2 {{windows of 9 elements don't fit spatial axis 1 of 8 and 0 of padding}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv %x, %w {dilations = array<i64: 1, 4>} : (tensor<1x4x9x8xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x7x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>, %w: tensor<3x6x3x3xf16>) {
  // expected-error @+2 {{x has 4 channels, weight [3, 6, 3, 3] takes 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv_transpose %x, %w : (tensor<1x4x9x8xf16>, tensor<3x6x3x3xf16>) -> tensor<1x6x7x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>, %w: tensor<4x6x3x3xf16>) {
  // expected-error @+2 {{output_shape [1, 5, 11, 10] must be [1, 6, D...]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv_transpose %x, %w {output_shape = array<i64: 1, 5, 11, 10>} : (tensor<1x4x9x8xf16>, tensor<4x6x3x3xf16>) -> tensor<1x6x7x6xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>, %w: tensor<4x6x3x3xf16>) {
  // expected-error @+2 {{output size 12 of spatial axis 0 is impossible: 11 to 11 follow from input 9, kernel extent 3 and stride 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.conv_transpose %x, %w {output_shape = array<i64: 1, 6, 12, 10>} : (tensor<1x4x9x8xf16>, tensor<4x6x3x3xf16>) -> tensor<1x6x7x6xf16>
  return
}
