// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-attention)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 27, opset = ios16, strictness = evidence>} {
// Scores are computed part by part, from parts of the keys and of the mask.
// CHECK-LABEL: @masked
// CHECK: engine {
// CHECK: ane.slice_by_size %{{.*}} {begin = array<i64: 0, 256, 0>, size = array<i64: 2, 44, 16>}
// CHECK: ane.slice_by_size %{{.*}} {begin = array<i64: 0, 256>, size = array<i64: 8, 44>}
// CHECK-NOT: tensor<2x8x300xf32>
// CHECK: twin {
func.func @masked(%q: tensor<2x8x16xf32>, %k: tensor<2x300x16xf32>, %v: tensor<2x300x16xf32>, %m: tensor<8x300xf32>) -> tensor<2x8x16xf32> {
  %0 = ane.matmul %q, %k {transpose_y = true} : (tensor<2x8x16xf32>, tensor<2x300x16xf32>) -> tensor<2x8x300xf32>
  %1 = ane.add %0, %m : tensor<2x8x300xf32>, tensor<8x300xf32>
  %2 = ane.softmax %1 {axis = -1 : i64} : tensor<2x8x300xf32>
  %3 = ane.matmul %2, %v : (tensor<2x8x300xf32>, tensor<2x300x16xf32>) -> tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}

// Parts of thousands of keys are scaled, too.
// CHECK-LABEL: @long
// CHECK: engine {
// CHECK: dense<6.400000e+01>
// CHECK-COUNT-16: ane.matmul
// CHECK: dense<1.562500e-02>
// CHECK: twin {
func.func @long(%s: tensor<2x8x4096xf32>, %v: tensor<2x16x4096xf32>) -> tensor<2x8x16xf32> {
  %0 = ane.softmax %s {axis = 2 : i64} : tensor<2x8x4096xf32>
  %1 = ane.matmul %0, %v {transpose_y = true} : (tensor<2x8x4096xf32>, tensor<2x16x4096xf32>) -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
}
