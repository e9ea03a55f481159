// Round trip: quantisation and compressed constants.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @quantize(
// CHECK: ane.quantize %{{.*}}, %{{.*}} {output_dtype = "int8"} : (tensor<2x3x4xf16>, tensor<f16>) -> tensor<2x3x4xi8>
func.func @quantize(%x: tensor<2x3x4xf16>, %s: tensor<f16>) -> tensor<2x3x4xi8> {
  %0 = ane.quantize %x, %s {output_dtype = "int8"} : (tensor<2x3x4xf16>, tensor<f16>) -> tensor<2x3x4xi8>
  return %0 : tensor<2x3x4xi8>
}

// CHECK-LABEL: @quantize_axis(
// CHECK: ane.quantize %{{.*}}, %{{.*}} zero_point %{{.*}} {axis = 1 : i64, output_dtype = "uint8"} : (tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xui8>) -> tensor<2x3x4xui8>
func.func @quantize_axis(%x: tensor<2x3x4xf16>, %s: tensor<3xf16>, %z: tensor<3xui8>) -> tensor<2x3x4xui8> {
  %0 = ane.quantize %x, %s zero_point %z {axis = 1, output_dtype = "uint8"} : (tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xui8>) -> tensor<2x3x4xui8>
  return %0 : tensor<2x3x4xui8>
}

// CHECK-LABEL: @dequantize(
// CHECK: ane.dequantize %{{.*}}, %{{.*}} zero_point %{{.*}} : (tensor<2x3x4xi8>, tensor<f16>, tensor<i8>) -> tensor<2x3x4xf16>
func.func @dequantize(%x: tensor<2x3x4xi8>, %s: tensor<f16>, %z: tensor<i8>) -> tensor<2x3x4xf16> {
  %0 = ane.dequantize %x, %s zero_point %z : (tensor<2x3x4xi8>, tensor<f16>, tensor<i8>) -> tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @constexpr_affine_dequantize(
// CHECK: ane.constexpr_affine_dequantize %{{.*}}, %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<8x4xi8>, tensor<i8>, tensor<8xf16>) -> tensor<8x4xf16>
func.func @constexpr_affine_dequantize(%x: tensor<8x4xi8>, %z: tensor<i8>, %s: tensor<8xf16>) -> tensor<8x4xf16> {
  %0 = ane.constexpr_affine_dequantize %x, %z, %s {axis = 0} : (tensor<8x4xi8>, tensor<i8>, tensor<8xf16>) -> tensor<8x4xf16>
  return %0 : tensor<8x4xf16>
}

// CHECK-LABEL: @constexpr_blockwise_shift_scale(
// CHECK: ane.constexpr_blockwise_shift_scale %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x4xi4>, tensor<2x1xf16>, tensor<2x1xi4>) -> tensor<8x4xf16>
func.func @constexpr_blockwise_shift_scale(%x: tensor<8x4xi4>, %s: tensor<2x1xf16>, %o: tensor<2x1xi4>) -> tensor<8x4xf16> {
  %0 = ane.constexpr_blockwise_shift_scale %x, %s, %o : (tensor<8x4xi4>, tensor<2x1xf16>, tensor<2x1xi4>) -> tensor<8x4xf16>
  return %0 : tensor<8x4xf16>
}

// CHECK-LABEL: @constexpr_cast(
// CHECK: ane.constexpr_cast %{{.*}} {output_dtype = "fp32"} : (tensor<4xf16>) -> tensor<4xf32>
func.func @constexpr_cast(%x: tensor<4xf16>) -> tensor<4xf32> {
  %0 = ane.constexpr_cast %x {output_dtype = "fp32"} : (tensor<4xf16>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @constexpr_lut_to_dense(
// CHECK: ane.constexpr_lut_to_dense %{{.*}}, %{{.*}} : (tensor<8x4xui4>, tensor<2x1x16x1xf16>) -> tensor<8x4xf16>
func.func @constexpr_lut_to_dense(%x: tensor<8x4xui4>, %l: tensor<2x1x16x1xf16>) -> tensor<8x4xf16> {
  %0 = ane.constexpr_lut_to_dense %x, %l : (tensor<8x4xui4>, tensor<2x1x16x1xf16>) -> tensor<8x4xf16>
  return %0 : tensor<8x4xf16>
}

// CHECK-LABEL: @constexpr_lut_vector(
// CHECK: ane.constexpr_lut_to_dense %{{.*}}, %{{.*}} {vector_axis = 1 : i64} : (tensor<8x4xui2>, tensor<1x1x4x3xf16>) -> tensor<8x12xf16>
func.func @constexpr_lut_vector(%x: tensor<8x4xui2>, %l: tensor<1x1x4x3xf16>) -> tensor<8x12xf16> {
  %0 = ane.constexpr_lut_to_dense %x, %l {vector_axis = 1} : (tensor<8x4xui2>, tensor<1x1x4x3xf16>) -> tensor<8x12xf16>
  return %0 : tensor<8x12xf16>
}

// CHECK-LABEL: @constexpr_sparse_to_dense(
// CHECK: ane.constexpr_sparse_to_dense %{{.*}}, %{{.*}} : (tensor<5xf16>, tensor<4x4xui1>) -> tensor<4x4xf16>
func.func @constexpr_sparse_to_dense(%d: tensor<5xf16>, %m: tensor<4x4xui1>) -> tensor<4x4xf16> {
  %0 = ane.constexpr_sparse_to_dense %d, %m : (tensor<5xf16>, tensor<4x4xui1>) -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

// CHECK-LABEL: @constexpr_lut_to_sparse(
// CHECK: ane.constexpr_lut_to_sparse %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x4xui1>, tensor<5xui4>, tensor<1x1x16x1xf16>) -> (tensor<4x4xui1>, tensor<5xf16>)
func.func @constexpr_lut_to_sparse(%m: tensor<4x4xui1>, %d: tensor<5xui4>, %l: tensor<1x1x16x1xf16>) -> (tensor<4x4xui1>, tensor<5xf16>) {
  %0:2 = ane.constexpr_lut_to_sparse %m, %d, %l : (tensor<4x4xui1>, tensor<5xui4>, tensor<1x1x16x1xf16>) -> (tensor<4x4xui1>, tensor<5xf16>)
  return %0#0, %0#1 : tensor<4x4xui1>, tensor<5xf16>
}

// CHECK-LABEL: @constexpr_sparse_blockwise_shift_scale(
// CHECK: ane.constexpr_sparse_blockwise_shift_scale %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x4xui1>, tensor<5xi8>, tensor<4x1xf16>) -> (tensor<4x4xui1>, tensor<5xf16>)
func.func @constexpr_sparse_blockwise_shift_scale(%m: tensor<4x4xui1>, %d: tensor<5xi8>, %s: tensor<4x1xf16>) -> (tensor<4x4xui1>, tensor<5xf16>) {
  %0:2 = ane.constexpr_sparse_blockwise_shift_scale %m, %d, %s : (tensor<4x4xui1>, tensor<5xi8>, tensor<4x1xf16>) -> (tensor<4x4xui1>, tensor<5xf16>)
  return %0#0, %0#1 : tensor<4x4xui1>, tensor<5xf16>
}

// CHECK-LABEL: @constexpr_blocks(
// CHECK: ane.constexpr_blocks q4_1 %{{.*}} {output_dtype = "fp32"} : (tensor<8x40xui8>) -> tensor<8x64xf32>
// CHECK: ane.constexpr_blocks q6_k %{{.*}} {output_dtype = "fp16"} : (tensor<2x210xui8>) -> tensor<2x256xf16>
func.func @constexpr_blocks(%x: tensor<8x40xui8>, %y: tensor<2x210xui8>) -> (tensor<8x64xf32>, tensor<2x256xf16>) {
  %0 = ane.constexpr_blocks q4_1 %x {output_dtype = "fp32"} : (tensor<8x40xui8>) -> tensor<8x64xf32>
  %1 = ane.constexpr_blocks q6_k %y {output_dtype = "fp16"} : (tensor<2x210xui8>) -> tensor<2x256xf16>
  return %0, %1 : tensor<8x64xf32>, tensor<2x256xf16>
}
