// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-attention)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 27, opset = ios16, strictness = evidence>} {
// Scores are computed part by part, from parts of the keys and of the mask.
// CHECK-LABEL: @masked
// CHECK: engine {
// CHECK: ane.slice_by_size %{{.*}}begin = array<i64: 0, 256, 0>, size = array<i64: 2, 44, 16>}
// CHECK: ane.slice_by_size %{{.*}}begin = array<i64: 0, 256>, size = array<i64: 8, 44>}
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
  %a = ane.clip %s {alpha = -8.0 : f64, beta = 8.0 : f64} : tensor<2x8x4096xf32>
  %0 = ane.softmax %a {axis = 2 : i64} : tensor<2x8x4096xf32>
  %1 = ane.matmul %0, %v {transpose_y = true} : (tensor<2x8x4096xf32>, tensor<2x16x4096xf32>) -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
// A value that is read twice at each of many steps is computed once a part, and a long chain is not followed to its end.
// CHECK-LABEL: @shared
// CHECK: engine {
// CHECK: ane.slice_by_size
// CHECK-COUNT-32: ane.add
// CHECK-NEXT: ane.reduce_max
// CHECK: twin {
func.func @shared(%s0: tensor<2x8x300xf16>, %v: tensor<2x300x16xf16>) -> tensor<2x8x16xf16> {
  %s1 = ane.add %s0, %s0 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s2 = ane.add %s1, %s1 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s3 = ane.add %s2, %s2 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s4 = ane.add %s3, %s3 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s5 = ane.add %s4, %s4 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s6 = ane.add %s5, %s5 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s7 = ane.add %s6, %s6 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s8 = ane.add %s7, %s7 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s9 = ane.add %s8, %s8 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s10 = ane.add %s9, %s9 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s11 = ane.add %s10, %s10 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s12 = ane.add %s11, %s11 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s13 = ane.add %s12, %s12 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s14 = ane.add %s13, %s13 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s15 = ane.add %s14, %s14 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s16 = ane.add %s15, %s15 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s17 = ane.add %s16, %s16 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s18 = ane.add %s17, %s17 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s19 = ane.add %s18, %s18 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s20 = ane.add %s19, %s19 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s21 = ane.add %s20, %s20 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s22 = ane.add %s21, %s21 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s23 = ane.add %s22, %s22 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s24 = ane.add %s23, %s23 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s25 = ane.add %s24, %s24 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s26 = ane.add %s25, %s25 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s27 = ane.add %s26, %s26 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s28 = ane.add %s27, %s27 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s29 = ane.add %s28, %s28 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s30 = ane.add %s29, %s29 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s31 = ane.add %s30, %s30 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s32 = ane.add %s31, %s31 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s33 = ane.add %s32, %s32 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s34 = ane.add %s33, %s33 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s35 = ane.add %s34, %s34 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s36 = ane.add %s35, %s35 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s37 = ane.add %s36, %s36 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s38 = ane.add %s37, %s37 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s39 = ane.add %s38, %s38 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %s40 = ane.add %s39, %s39 : tensor<2x8x300xf16>, tensor<2x8x300xf16>
  %p = ane.softmax %s40 {axis = -1 : i64} : tensor<2x8x300xf16>
  %r = ane.matmul %p, %v : (tensor<2x8x300xf16>, tensor<2x300x16xf16>) -> tensor<2x8x16xf16>
  return %r : tensor<2x8x16xf16>
}
}
