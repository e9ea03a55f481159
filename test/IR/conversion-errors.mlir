// What the verifiers refuse: casts and generated tensors.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{dtype is 'float16', which is no element type: fp16, fp32, fp64, bf16, bool, int8}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.cast %x {dtype = "float16"} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{dtype is 'int7', which is no element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.cast %x {dtype = "int7"} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%v: tensor<1xf16>) {
  // expected-error @+2 {{value has shape [1], expected a scalar}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.fill %v {shape = array<i64: 2>} : (tensor<1xf16>) -> tensor<2xf16>
  return
}

// -----

func.func @f(%v: tensor<f16>) {
  // expected-error @+2 {{a result of shape [-2] has a negative size}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.fill %v {shape = array<i64: -2>} : (tensor<f16>) -> tensor<2xf16>
  return
}

// -----

func.func @f(%r: tensor<2x3x4xf16>, %v: tensor<1xf16>) {
  // expected-error @+2 {{value has shape [1], expected a scalar}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.fill_like %r, %v : (tensor<2x3x4xf16>, tensor<1xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%e: tensor<i32>, %s: tensor<i32>, %t: tensor<i32>) {
  // expected-error @+2 {{end must be a constant scalar}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.range_1d %e, %s, %t : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
  return
}

// -----

func.func @f(%e: tensor<i32>, %s: tensor<i64>, %t: tensor<i32>) {
  // expected-error @+2 {{end has elements of type 'i32', start of type 'i64'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.range_1d %e, %s, %t : (tensor<i32>, tensor<i64>, tensor<i32>) -> tensor<4xi32>
  return
}

// -----

func.func @f() {
  %end = ane.const dense<11> : tensor<i32>
  %step = ane.const dense<0> : tensor<i32>
  // expected-error @+2 {{step is 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.range_1d %end, %end, %step : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{because is 'size', must be one of mask, masked_rows, bound, guard, rescaled}}
  %0 = ane.narrow %x {because = "size"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %r: tensor<2x1xf32>) {
  // expected-error @+1 {{has a factor where because is 'masked_rows', and only there}}
  %0 = ane.narrow %x, %r {because = "mask"} : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{has an axis where because is 'mask' only}}
  %0 = ane.narrow %x {axis = 1 : i64, because = "guard"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{axis is 2, must be from 0 to 1}}
  %0 = ane.narrow %x {axis = 2 : i64, because = "mask"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}
