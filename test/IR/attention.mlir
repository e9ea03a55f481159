// Round trip: attention.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @attention(
// CHECK: ane.scaled_dot_product_attention %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x2x5x8xf16>, tensor<1x2x7x8xf16>, tensor<1x2x7x6xf16>) -> tensor<1x2x5x6xf16>
func.func @attention(%q: tensor<1x2x5x8xf16>, %k: tensor<1x2x7x8xf16>, %v: tensor<1x2x7x6xf16>) -> tensor<1x2x5x6xf16> {
  %0 = ane.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x5x8xf16>, tensor<1x2x7x8xf16>, tensor<1x2x7x6xf16>) -> tensor<1x2x5x6xf16>
  return %0 : tensor<1x2x5x6xf16>
}

// CHECK-LABEL: @attention_mask(
// CHECK: ane.scaled_dot_product_attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : (tensor<1x2x5x8xf16>, tensor<1x2x7x8xf16>, tensor<1x2x7x6xf16>, tensor<5x7xf16>) -> tensor<1x2x5x6xf16>
func.func @attention_mask(%q: tensor<1x2x5x8xf16>, %k: tensor<1x2x7x8xf16>, %v: tensor<1x2x7x6xf16>, %m: tensor<5x7xf16>) -> tensor<1x2x5x6xf16> {
  %0 = ane.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x5x8xf16>, tensor<1x2x7x8xf16>, tensor<1x2x7x6xf16>, tensor<5x7xf16>) -> tensor<1x2x5x6xf16>
  return %0 : tensor<1x2x5x6xf16>
}

// CHECK-LABEL: @attention_bool(
// CHECK: ane.scaled_dot_product_attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : (tensor<1x2x5x8xf16>, tensor<1x2x7x8xf16>, tensor<1x2x7x6xf16>, tensor<1x1x1x7xi1>) -> tensor<1x2x5x6xf16>
func.func @attention_bool(%q: tensor<1x2x5x8xf16>, %k: tensor<1x2x7x8xf16>, %v: tensor<1x2x7x6xf16>, %m: tensor<1x1x1x7xi1>) -> tensor<1x2x5x6xf16> {
  %0 = ane.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x5x8xf16>, tensor<1x2x7x8xf16>, tensor<1x2x7x6xf16>, tensor<1x1x1x7xi1>) -> tensor<1x2x5x6xf16>
  return %0 : tensor<1x2x5x6xf16>
}

// CHECK-LABEL: @rope(
// CHECK: ane.rope %{{.*}}, %{{.*}}, %{{.*}} {layout = "interleaved"} : tensor<1x2x5x8xf16>, tensor<5x4xf16>, tensor<5x4xf16>
func.func @rope(%x: tensor<1x2x5x8xf16>, %c: tensor<5x4xf16>, %s: tensor<5x4xf16>) -> tensor<1x2x5x8xf16> {
  %0 = ane.rope %x, %c, %s {layout = "interleaved"} : tensor<1x2x5x8xf16>, tensor<5x4xf16>, tensor<5x4xf16>
  return %0 : tensor<1x2x5x8xf16>
}

// CHECK-LABEL: @embedding(
// CHECK: ane.embedding %{{.*}}, %{{.*}} : (tensor<2x3xi64>, tensor<100x8xf32>) -> tensor<2x3x8xf32>
func.func @embedding(%i: tensor<2x3xi64>, %t: tensor<100x8xf32>) -> tensor<2x3x8xf32> {
  %0 = ane.embedding %i, %t : (tensor<2x3xi64>, tensor<100x8xf32>) -> tensor<2x3x8xf32>
  return %0 : tensor<2x3x8xf32>
}
