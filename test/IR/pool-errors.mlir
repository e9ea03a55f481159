// What the verifiers refuse: pooling.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<1x4xf16>) {
  // expected-error @+2 {{x has rank 2, expected 3 to 5: [N, C, D...]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.max_pool %x {kernel_sizes = array<i64>, pad_type = "valid"} : (tensor<1x4xf16>) -> tensor<1x4xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>) {
  // expected-error @+2 {{kernel has 1 entries, expected 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.max_pool %x {kernel_sizes = array<i64: 3>, pad_type = "valid"} : (tensor<1x4x9x8xf16>) -> tensor<1x4x9x8xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>) {
  // expected-error @+2 {{windows of 10 elements don't fit spatial axis 0 of 9 and 0 of padding}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.max_pool %x {kernel_sizes = array<i64: 10, 1>, pad_type = "valid"} : (tensor<1x4x9x8xf16>) -> tensor<1x4x9x8xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>) {
  // expected-error @+1 {{requires attribute 'pad_type'}}
  %0 = ane.avg_pool %x {kernel_sizes = array<i64: 3, 3>} : (tensor<1x4x9x8xf16>) -> tensor<1x4x9x8xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>) {
  // expected-error @+2 {{ceil_mode needs one or two spatial axes and pad_type valid or custom, got 2 and same}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.avg_pool %x {ceil_mode = true, kernel_sizes = array<i64: 3, 3>, pad_type = "same"} : (tensor<1x4x9x8xf16>) -> tensor<1x4x9x8xf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x9x8xf16>) {
  // expected-error @+2 {{ceil_mode needs symmetric padding, got pad [0, 1, 0, 0]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.l2_pool %x {ceil_mode = true, kernel_sizes = array<i64: 3, 3>, pad = array<i64: 0, 1, 0, 0>, pad_type = "custom"} : (tensor<1x4x9x8xf16>) -> tensor<1x4x9x8xf16>
  return
}
