// What the verifiers refuse: element-wise arithmetic.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3xf16>) {
  // expected-error @+1 {{x has elements of type 'f32', y of type 'f16'}}
  %0 = ane.add %x, %y : tensor<2x3xf32>, tensor<3xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+1 {{shapes [2, 3] and [2, 4] do not broadcast: axis -1 has 3 and 4}}
  %0 = ane.add %x, %y : tensor<2x3xf32>, tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{operands must be tensors of static shape, got 'tensor<?xf32>'}}
  %0 = ane.add %x, %y : tensor<?xf32>, tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2xi1>, %y: tensor<2xi1>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float or integer of at most 64 bits (not bool) values}}
  %0 = ane.add %x, %y : tensor<2xi1>, tensor<2xi1>
  return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values}}
  %0 = ane.exp %x : tensor<2xi32>
  return
}

// -----

func.func @f(%x: tensor<2xi8>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 1-bit signless integer values}}
  %0 = ane.logical_not %x : tensor<2xi8>
  return
}

// -----

func.func @f(%x: tensor<2xi8>, %y: tensor<2xi8>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 1-bit signless integer values}}
  %0 = ane.logical_and %x, %y : tensor<2xi8>, tensor<2xi8>
  return
}

// -----

func.func @f(%x: tensor<2xi8>, %y: tensor<2xi16>) {
  // expected-error @+1 {{x has elements of type 'i8', y of type 'i16'}}
  %0 = ane.equal %x, %y : tensor<2xi8>, tensor<2xi16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+1 {{lower bound alpha 1.000000e+00 must be below upper bound beta 1.000000e+00}}
  %0 = ane.clip %x {alpha = 1.0, beta = 1.0} : tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+1 {{requires attribute 'beta'}}
  %0 = ane.clip %x {alpha = 1.0} : tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%c: tensor<2xi1>, %a: tensor<2xf16>, %b: tensor<2xf32>) {
  // expected-error @+1 {{a has elements of type 'f16', b of type 'f32'}}
  %0 = ane.select %c, %a, %b : tensor<2xi1>, tensor<2xf16>, tensor<2xf32>
  return
}

// -----

func.func @f(%c: tensor<3xi1>, %a: tensor<2xf16>, %b: tensor<1xf16>) {
  // expected-error @+1 {{shapes [3] and [2] do not broadcast: axis -1 has 3 and 2}}
  %0 = ane.select %c, %a, %b : tensor<3xi1>, tensor<2xf16>, tensor<1xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of integer of at most 64 bits (not bool) values}}
  %0 = ane.bitwise_and %x, %y : tensor<2x3xf32>, tensor<2x3xf32>
  return
}
