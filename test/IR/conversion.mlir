// Round trip: casts and generated tensors.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @cast_fp16(
// CHECK: ane.cast %{{.*}} {dtype = "fp16"} : (tensor<4xf32>) -> tensor<4xf16>
func.func @cast_fp16(%x: tensor<4xf32>) -> tensor<4xf16> {
  %0 = ane.cast %x {dtype = "fp16"} : (tensor<4xf32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: @cast_fp32(
// CHECK: ane.cast %{{.*}} {dtype = "fp32"} : (tensor<4xf32>) -> tensor<4xf32>
func.func @cast_fp32(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ane.cast %x {dtype = "fp32"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @cast_fp64(
// CHECK: ane.cast %{{.*}} {dtype = "fp64"} : (tensor<4xf32>) -> tensor<4xf64>
func.func @cast_fp64(%x: tensor<4xf32>) -> tensor<4xf64> {
  %0 = ane.cast %x {dtype = "fp64"} : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: @cast_bf16(
// CHECK: ane.cast %{{.*}} {dtype = "bf16"} : (tensor<4xf32>) -> tensor<4xbf16>
func.func @cast_bf16(%x: tensor<4xf32>) -> tensor<4xbf16> {
  %0 = ane.cast %x {dtype = "bf16"} : (tensor<4xf32>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @cast_int8(
// CHECK: ane.cast %{{.*}} {dtype = "int8"} : (tensor<4xf32>) -> tensor<4xi8>
func.func @cast_int8(%x: tensor<4xf32>) -> tensor<4xi8> {
  %0 = ane.cast %x {dtype = "int8"} : (tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @cast_uint8(
// CHECK: ane.cast %{{.*}} {dtype = "uint8"} : (tensor<4xf32>) -> tensor<4xui8>
func.func @cast_uint8(%x: tensor<4xf32>) -> tensor<4xui8> {
  %0 = ane.cast %x {dtype = "uint8"} : (tensor<4xf32>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: @cast_int16(
// CHECK: ane.cast %{{.*}} {dtype = "int16"} : (tensor<4xf32>) -> tensor<4xi16>
func.func @cast_int16(%x: tensor<4xf32>) -> tensor<4xi16> {
  %0 = ane.cast %x {dtype = "int16"} : (tensor<4xf32>) -> tensor<4xi16>
  return %0 : tensor<4xi16>
}

// CHECK-LABEL: @cast_uint16(
// CHECK: ane.cast %{{.*}} {dtype = "uint16"} : (tensor<4xf32>) -> tensor<4xui16>
func.func @cast_uint16(%x: tensor<4xf32>) -> tensor<4xui16> {
  %0 = ane.cast %x {dtype = "uint16"} : (tensor<4xf32>) -> tensor<4xui16>
  return %0 : tensor<4xui16>
}

// CHECK-LABEL: @cast_int32(
// CHECK: ane.cast %{{.*}} {dtype = "int32"} : (tensor<4xf32>) -> tensor<4xi32>
func.func @cast_int32(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = ane.cast %x {dtype = "int32"} : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: @cast_uint32(
// CHECK: ane.cast %{{.*}} {dtype = "uint32"} : (tensor<4xf32>) -> tensor<4xui32>
func.func @cast_uint32(%x: tensor<4xf32>) -> tensor<4xui32> {
  %0 = ane.cast %x {dtype = "uint32"} : (tensor<4xf32>) -> tensor<4xui32>
  return %0 : tensor<4xui32>
}

// CHECK-LABEL: @cast_int64(
// CHECK: ane.cast %{{.*}} {dtype = "int64"} : (tensor<4xf32>) -> tensor<4xi64>
func.func @cast_int64(%x: tensor<4xf32>) -> tensor<4xi64> {
  %0 = ane.cast %x {dtype = "int64"} : (tensor<4xf32>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// CHECK-LABEL: @cast_uint64(
// CHECK: ane.cast %{{.*}} {dtype = "uint64"} : (tensor<4xf32>) -> tensor<4xui64>
func.func @cast_uint64(%x: tensor<4xf32>) -> tensor<4xui64> {
  %0 = ane.cast %x {dtype = "uint64"} : (tensor<4xf32>) -> tensor<4xui64>
  return %0 : tensor<4xui64>
}

// CHECK-LABEL: @cast_bool(
// CHECK: ane.cast %{{.*}} {dtype = "bool"} : (tensor<4xf32>) -> tensor<4xi1>
func.func @cast_bool(%x: tensor<4xf32>) -> tensor<4xi1> {
  %0 = ane.cast %x {dtype = "bool"} : (tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @fill(
// CHECK: ane.fill %{{.*}} {shape = array<i64: 2, 3>} : (tensor<i64>) -> tensor<2x3xi64>
func.func @fill(%v: tensor<i64>) -> tensor<2x3xi64> {
  %0 = ane.fill %v {shape = array<i64: 2, 3>} : (tensor<i64>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// CHECK-LABEL: @fill_like(
// CHECK: ane.fill_like %{{.*}}, %{{.*}} : (tensor<2x3x4xf16>, tensor<i1>) -> tensor<2x3x4xi1>
func.func @fill_like(%r: tensor<2x3x4xf16>, %v: tensor<i1>) -> tensor<2x3x4xi1> {
  %0 = ane.fill_like %r, %v : (tensor<2x3x4xf16>, tensor<i1>) -> tensor<2x3x4xi1>
  return %0 : tensor<2x3x4xi1>
}

// CHECK-LABEL: @range_1d(
// CHECK: ane.range_1d %{{.*}}, %{{.*}}, %{{.*}} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
func.func @range_1d() -> tensor<4xi32> {
  %end = ane.const dense<11> : tensor<i32>
  %start = ane.const dense<1> : tensor<i32>
  %step = ane.const dense<3> : tensor<i32>
  %0 = ane.range_1d %end, %start, %step : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: @narrow(
// CHECK: ane.narrow %{{.*}} {axis = 1 : i64, because = "mask"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: ane.narrow %{{.*}}, %{{.*}} {because = "masked_rows"} : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
// CHECK: ane.narrow %{{.*}} {because = "rescaled"} : (tensor<f32>) -> tensor<f32>
func.func @narrow(%m: tensor<2x4xf32>, %s: tensor<2x4xf32>, %r: tensor<2x1xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>) {
  %c = ane.const dense<1.0e+05> : tensor<f32>
  %0 = ane.narrow %m {axis = 1 : i64, because = "mask"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = ane.narrow %s, %r {because = "masked_rows"} : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %2 = ane.narrow %c {because = "rescaled"} : (tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>
}
