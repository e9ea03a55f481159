// What the verifiers refuse: quantisation and compressed constants.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x3x4xf16>, %s: tensor<f16>) {
  // expected-error @+2 {{output_dtype is 'int32', expected int8 or uint8}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.quantize %x, %s {output_dtype = "int32"} : (tensor<2x3x4xf16>, tensor<f16>) -> tensor<2x3x4xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %s: tensor<3xf16>) {
  // expected-error @+2 {{scale has rank 1 without an axis: expected a scalar without, or a vector with one}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.quantize %x, %s {output_dtype = "int8"} : (tensor<2x3x4xf16>, tensor<3xf16>) -> tensor<2x3x4xi8>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %s: tensor<f16>) {
  // expected-error @+2 {{scale has rank 0 with an axis: expected a scalar without, or a vector with one}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.quantize %x, %s {axis = 1, output_dtype = "int8"} : (tensor<2x3x4xf16>, tensor<f16>) -> tensor<2x3x4xi8>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %s: tensor<4xf16>) {
  // expected-error @+2 {{scale has shape [4], expected [3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.quantize %x, %s {axis = 1, output_dtype = "int8"} : (tensor<2x3x4xf16>, tensor<4xf16>) -> tensor<2x3x4xi8>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %s: tensor<f16>, %z: tensor<ui8>) {
  // expected-error @+2 {{zero_point has elements of type 'ui8', the result of type 'i8'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.quantize %x, %s zero_point %z {output_dtype = "int8"} : (tensor<2x3x4xf16>, tensor<f16>, tensor<ui8>) -> tensor<2x3x4xi8>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xi8>, %s: tensor<f16>, %z: tensor<3xi8>) {
  // expected-error @+2 {{zero_point has shape [3], scale []}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.dequantize %x, %s zero_point %z : (tensor<2x3x4xi8>, tensor<f16>, tensor<3xi8>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xi8>, %s: tensor<f16>, %z: tensor<ui8>) {
  // expected-error @+2 {{input has elements of type 'i8', zero_point of type 'ui8'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.dequantize %x, %s zero_point %z : (tensor<2x3x4xi8>, tensor<f16>, tensor<ui8>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<8x4xi8>, %z: tensor<i8>, %s: tensor<4xf16>) {
  // expected-error @+2 {{scale has shape [4], expected [8]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_affine_dequantize %x, %z, %s {axis = 0} : (tensor<8x4xi8>, tensor<i8>, tensor<4xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @f(%x: tensor<8x4xi8>, %z: tensor<i8>, %s: tensor<8xf16>) {
  // expected-error @+2 {{axis 2 is out of range [-2, 1] for rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_affine_dequantize %x, %z, %s {axis = 2} : (tensor<8x4xi8>, tensor<i8>, tensor<8xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @f(%x: tensor<8x4xi4>, %s: tensor<3x1xf16>) {
  // expected-error @+2 {{scale [3, 1] does not divide data [8, 4] in blocks}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_blockwise_shift_scale %x, %s : (tensor<8x4xi4>, tensor<3x1xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @f(%x: tensor<8x4xi4>, %s: tensor<2x1xf16>, %o: tensor<1x1xi4>) {
  // expected-error @+2 {{offset has shape [1, 1], scale [2, 1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_blockwise_shift_scale %x, %s, %o : (tensor<8x4xi4>, tensor<2x1xf16>, tensor<1x1xi4>) -> tensor<8x4xf16>
  return
}

// -----

func.func @f(%x: tensor<8x4xi4>, %s: tensor<2x1xf16>, %o: tensor<2x1xi8>) {
  // expected-error @+2 {{offset has elements of type 'i8', data of type 'i4'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_blockwise_shift_scale %x, %s, %o : (tensor<8x4xi4>, tensor<2x1xf16>, tensor<2x1xi8>) -> tensor<8x4xf16>
  return
}

// -----

func.func @f(%x: tensor<8x4xf16>) {
  // expected-error @+2 {{output_dtype is 'f32', which is no element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_cast %x {output_dtype = "f32"} : (tensor<8x4xf16>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<8x4xi8>, %l: tensor<1x1x256x1xf16>) {
  // expected-error @+2 {{indices have elements of type 'i8', expected unsigned of 1 to 8 bits}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_lut_to_dense %x, %l : (tensor<8x4xi8>, tensor<1x1x256x1xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @f(%x: tensor<8x4xui4>, %l: tensor<16x1xf16>) {
  // expected-error @+2 {{lut has rank 2, expected 4: [groups..., entries, vector]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_lut_to_dense %x, %l : (tensor<8x4xui4>, tensor<16x1xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @f(%x: tensor<8x4xui4>, %l: tensor<1x1x8x1xf16>) {
  // expected-error @+2 {{lut has 8 entries, indices of 4 bits address 16}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_lut_to_dense %x, %l : (tensor<8x4xui4>, tensor<1x1x8x1xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @f(%x: tensor<8x4xui4>, %l: tensor<3x1x16x1xf16>) {
  // expected-error @+2 {{axis 0: 3 groups of lut do not divide 8 indices}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_lut_to_dense %x, %l : (tensor<8x4xui4>, tensor<3x1x16x1xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @f(%x: tensor<8x4xui4>, %l: tensor<1x1x16x2xf16>) {
  // expected-error @+2 {{lut has vectors of 2: vector_axis must be given}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_lut_to_dense %x, %l : (tensor<8x4xui4>, tensor<1x1x16x2xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @f(%d: tensor<5xf16>, %m: tensor<4x4xui8>) {
  // expected-error @+2 {{mask has elements of type 'ui8', expected 1 bit}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_sparse_to_dense %d, %m : (tensor<5xf16>, tensor<4x4xui8>) -> tensor<4x4xf16>
  return
}

// -----

func.func @f(%d: tensor<17xf16>, %m: tensor<4x4xui1>) {
  // expected-error @+2 {{nonzero_data has shape [17], expected [n], n at most 16}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_sparse_to_dense %d, %m : (tensor<17xf16>, tensor<4x4xui1>) -> tensor<4x4xf16>
  return
}

// -----

func.func @f(%m: tensor<4x4xui1>, %d: tensor<5x1xui4>, %l: tensor<1x1x16x1xf16>) {
  // expected-error @+2 {{indices_nonzero_data has shape [5, 1], expected [n], n at most 16}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.constexpr_lut_to_sparse %m, %d, %l : (tensor<4x4xui1>, tensor<5x1xui4>, tensor<1x1x16x1xf16>) -> (tensor<4x4xui1>, tensor<5xf16>)
  return
}

// -----

func.func @f(%m: tensor<4x4xui1>, %d: tensor<5xi8>, %s: tensor<3x1xf16>) {
  // expected-error @+2 {{scale [3, 1] does not divide data [4, 4] in blocks}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.constexpr_sparse_blockwise_shift_scale %m, %d, %s : (tensor<4x4xui1>, tensor<5xi8>, tensor<3x1xf16>) -> (tensor<4x4xui1>, tensor<5xf16>)
  return
}

// -----

func.func @f(%x: tensor<8x39xui8>) {
  // expected-error @+2 {{data [8, 39] does not end in whole blocks: one of q4_1 has 20 bytes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_blocks q4_1 %x {output_dtype = "fp32"} : (tensor<8x39xui8>) -> tensor<8x64xf32>
  return
}

// -----

func.func @f(%x: tensor<ui8>) {
  // expected-error @+2 {{data [] does not end in whole blocks: one of q8_0 has 34 bytes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_blocks q8_0 %x {output_dtype = "fp32"} : (tensor<ui8>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<8x34xui8>) {
  // expected-error @+2 {{output_dtype is 'fp64', expected fp32 or fp16}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_blocks q8_0 %x {output_dtype = "fp64"} : (tensor<8x34xui8>) -> tensor<8x32xf64>
  return
}

// -----

func.func @f(%x: tensor<8x34xui8>) {
  // expected-error @+2 {{op inferred type(s) 'tensor<8x32xf32>' are incompatible with return type(s) of operation 'tensor<8x34xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.constexpr_blocks q8_0 %x {output_dtype = "fp32"} : (tensor<8x34xui8>) -> tensor<8x34xf32>
  return
}

// -----

func.func @f(%x: tensor<8x34xi8>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 8-bit unsigned integer values, but got 'tensor<8x34xi8>'}}
  %0 = ane.constexpr_blocks q8_0 %x {output_dtype = "fp32"} : (tensor<8x34xi8>) -> tensor<8x32xf32>
  return
}

// -----

func.func @f(%x: tensor<8x34xui8>) {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'format' [f32, f16, bf16, q4_0}}
  %0 = ane.constexpr_blocks q8_9 %x {output_dtype = "fp32"} : (tensor<8x34xui8>) -> tensor<8x34xf32>
  return
}
