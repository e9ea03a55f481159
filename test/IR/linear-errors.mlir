// What the verifiers refuse: matrix products.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error @+2 {{inner sizes differ: 3 of x [2, 3] and 4 of y [4, 5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.matmul %x, %y : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x5xf32>) {
  // expected-error @+2 {{inner sizes differ: 2 of x [2, 3] transposed and 3 of y [3, 5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.matmul %x, %y {transpose_x = true} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>, %y: tensor<3x5xf32>) {
  // expected-error @+2 {{x has rank 1 and y rank 2, both need 2 or more: expand_dims a vector first}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.matmul %x, %y : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x1x3xf32>, %y: tensor<4x3x5xf32>) {
  // expected-error @+2 {{shapes [2] and [4] do not broadcast}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.matmul %x, %y : (tensor<2x1x3xf32>, tensor<4x3x5xf32>) -> tensor<4x1x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x5xf16>) {
  // expected-error @+2 {{x has elements of type 'f32', y of type 'f16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.matmul %x, %y : (tensor<2x3xf32>, tensor<3x5xf16>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x5xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x5xf32>' are incompatible with return type(s) of operation 'tensor<2x6xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.matmul %x, %y : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %w: tensor<5x4xf32>) {
  // expected-error @+2 {{x has 3 input features, weight [5, 4] takes 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.linear %x, %w : (tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %w: tensor<5x3x1xf32>) {
  // expected-error @+2 {{weight has shape [5, 3, 1], expected [Dout, Din]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.linear %x, %w : (tensor<2x3xf32>, tensor<5x3x1xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<f32>, %w: tensor<5x3xf32>) {
  // expected-error @+2 {{x is a scalar, expected [..., Din]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.linear %x, %w : (tensor<f32>, tensor<5x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %w: tensor<5x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{bias has shape [3], expected [5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.linear %x, %w bias %b : (tensor<2x3xf32>, tensor<5x3xf32>, tensor<3xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{equation 'ij' has no '->'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.einsum %x {equation = "ij"} : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error @+2 {{equation 'ij,jk,kl->il' has 3 terms for 2 values, expected one or two of each}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.einsum %x, %y {equation = "ij,jk,kl->il"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error @+2 {{axis 'i' is no letter, or repeated in a term}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.einsum %x, %y {equation = "ii,ij->j"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error @+2 {{term 'ijk' names 3 axes, its value has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.einsum %x, %y {equation = "ijk,jk->i"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error @+2 {{axis 'i' has sizes 2 and 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.einsum %x, %y {equation = "ij,ki->k"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error @+2 {{axis 'l' of the result is in no term, or repeated}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.einsum %x, %y {equation = "ij,jk->il"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x3xf16>) {
  // expected-error @+2 {{values[0] has elements of type 'f32', values[1] of type 'f16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.einsum %x, %y {equation = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<3x3xf16>) -> tensor<2x3xf32>
  return
}
