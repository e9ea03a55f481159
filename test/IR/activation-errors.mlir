// What the verifiers refuse: activation functions.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values}}
  %0 = ane.relu %x : tensor<2xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+1 {{mode is 'FAST', expected EXACT, TANH_APPROXIMATION or SIGMOID_APPROXIMATION}}
  %0 = ane.gelu %x {mode = "FAST"} : tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+1 {{axis 3 is out of range [-3, 2] for rank 3}}
  %0 = ane.softmax %x {axis = 3} : tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+1 {{axis -4 is out of range [-3, 2] for rank 3}}
  %0 = ane.log_softmax %x {axis = -4} : tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %a: tensor<4xf16>) {
  // expected-error @+1 {{alpha has shape [4], expected [3]}}
  %0 = ane.prelu %x, %a : tensor<2x3x4xf16>, tensor<4xf16>
  return
}

// -----

func.func @f(%x: tensor<3xf16>, %a: tensor<3xf16>) {
  // expected-error @+1 {{x needs a channel axis 1, but has rank 1}}
  %0 = ane.prelu %x, %a : tensor<3xf16>, tensor<3xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %a: tensor<3xf16>, %b: tensor<3x1xf16>) {
  // expected-error @+1 {{beta has shape [3, 1], expected [3]}}
  %0 = ane.softplus_parametric %x, %a, %b : tensor<2x3x4xf16>, tensor<3xf16>, tensor<3x1xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+1 {{requires attribute 'alpha'}}
  %0 = ane.elu %x : tensor<2x3x4xf16>
  return
}
