// What the verifiers refuse: reductions.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{axes 3 is out of range [-3, 2] for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reduce_sum %x {axes = array<i64: 3>} : (tensor<2x3x4xf16>) -> tensor<2x3xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{axes [0, -3] names axis 0 twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reduce_mean %x {axes = array<i64: 0, -3>} : (tensor<2x3x4xf16>) -> tensor<3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x3x4xf16>' are incompatible with return type(s) of operation 'tensor<3x4xf16>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reduce_max %x {axes = array<i64: 0>, keep_dims = true} : (tensor<2x3x4xf16>) -> tensor<3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float or integer of at most 64 bits (not bool) values}}
  %0 = ane.reduce_min %x : (tensor<4xi1>) -> tensor<i1>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{axis 5 is out of range [-3, 2] for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reduce_argmax %x {axis = 5} : (tensor<2x3x4xf16>) -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{output_dtype is 'fp16', but an index is an integer}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reduce_argmax %x {output_dtype = "fp16"} : (tensor<2x3x4xf16>) -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{output_dtype is 'i32', which is no element type: fp16, fp32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.reduce_argmin %x {output_dtype = "i32"} : (tensor<2x3x4xf16>) -> tensor<2x3xi32>
  return
}
