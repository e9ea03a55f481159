// Round trip: matrix products.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @matmul(
// CHECK: ane.matmul %{{.*}}, %{{.*}} : (tensor<2x1x3x4xf32>, tensor<5x4x6xf32>) -> tensor<2x5x3x6xf32>
func.func @matmul(%x: tensor<2x1x3x4xf32>, %y: tensor<5x4x6xf32>) -> tensor<2x5x3x6xf32> {
  %0 = ane.matmul %x, %y : (tensor<2x1x3x4xf32>, tensor<5x4x6xf32>) -> tensor<2x5x3x6xf32>
  return %0 : tensor<2x5x3x6xf32>
}

// CHECK-LABEL: @matmul_transposed(
// CHECK: ane.matmul %{{.*}}, %{{.*}} {transpose_x = true, transpose_y = true} : (tensor<4x3xf16>, tensor<6x4xf16>) -> tensor<3x6xf16>
func.func @matmul_transposed(%x: tensor<4x3xf16>, %y: tensor<6x4xf16>) -> tensor<3x6xf16> {
  %0 = ane.matmul %x, %y {transpose_x = true, transpose_y = true} : (tensor<4x3xf16>, tensor<6x4xf16>) -> tensor<3x6xf16>
  return %0 : tensor<3x6xf16>
}

// CHECK-LABEL: @linear(
// CHECK: ane.linear %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
func.func @linear(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>) -> tensor<2x3x5xf32> {
  %0 = ane.linear %x, %w : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// CHECK-LABEL: @linear_bias(
// CHECK: ane.linear %{{.*}}, %{{.*}} bias %{{.*}} : (tensor<4xf16>, tensor<5x4xi8>, tensor<5xf32>) -> tensor<5xf16>
func.func @linear_bias(%x: tensor<4xf16>, %w: tensor<5x4xi8>, %b: tensor<5xf32>) -> tensor<5xf16> {
  %0 = ane.linear %x, %w bias %b : (tensor<4xf16>, tensor<5x4xi8>, tensor<5xf32>) -> tensor<5xf16>
  return %0 : tensor<5xf16>
}

// CHECK-LABEL: @einsum(
// CHECK: ane.einsum %{{.*}}, %{{.*}} {equation = "nchw,nwhu->nchu"} : (tensor<1x2x3x4xf16>, tensor<1x4x3x5xf16>) -> tensor<1x2x3x5xf16>
func.func @einsum(%x: tensor<1x2x3x4xf16>, %y: tensor<1x4x3x5xf16>) -> tensor<1x2x3x5xf16> {
  %0 = ane.einsum %x, %y {equation = "nchw,nwhu->nchu"} : (tensor<1x2x3x4xf16>, tensor<1x4x3x5xf16>) -> tensor<1x2x3x5xf16>
  return %0 : tensor<1x2x3x5xf16>
}

// CHECK-LABEL: @einsum_one(
// CHECK: ane.einsum %{{.*}} {equation = "ij->j"} : (tensor<2x3xf16>) -> tensor<3xf16>
func.func @einsum_one(%x: tensor<2x3xf16>) -> tensor<3xf16> {
  %0 = ane.einsum %x {equation = "ij->j"} : (tensor<2x3xf16>) -> tensor<3xf16>
  return %0 : tensor<3xf16>
}
