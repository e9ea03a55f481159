// What the verifiers refuse: normalisation.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x3x4xf16>, %g: tensor<3xf16>) {
  // expected-error @+2 {{gamma has shape [3], but x has shape [4] along axes [2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.layer_norm %x gamma %g {axes = array<i64: -1>} : (tensor<2x3x4xf16>, tensor<3xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{axes 3 is out of range [-3, 2] for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.layer_norm %x {axes = array<i64: 3>} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{axes [1, -2] names axis 1 twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.layer_norm %x {axes = array<i64: 1, -2>} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %m: tensor<3xf16>, %v: tensor<4xf16>) {
  // expected-error @+2 {{variance has shape [4], expected [3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.batch_norm %x, %m, %v : (tensor<2x3x4xf16>, tensor<3xf16>, tensor<4xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<4xf16>) {
  // expected-error @+2 {{x needs a channel axis 1, but has rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.instance_norm %x : (tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

func.func @f(%x: tensor<3x4xf16>) {
  // expected-error @+1 {{x has rank 2, needs 3 or more}}
  %0 = ane.l2_norm %x : tensor<3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<3x4xf16>) {
  // expected-error @+1 {{x has rank 2, needs 3 or more: [N, C, D...]}}
  %0 = ane.local_response_norm %x {size = 5} : tensor<3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+1 {{size is 0, must be positive}}
  %0 = ane.local_response_norm %x {size = 0} : tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %g: tensor<3xf16>) {
  // expected-error @+2 {{gamma has shape [3], but x has shape [4] along axes [2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.rms_norm %x gamma %g : (tensor<2x3x4xf16>, tensor<3xf16>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<f16>) {
  // expected-error @+2 {{x is a scalar}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.rms_norm %x : (tensor<f16>) -> tensor<f16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{num_groups 2 does not divide 3 channels}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.group_norm %x {num_groups = 2} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}
