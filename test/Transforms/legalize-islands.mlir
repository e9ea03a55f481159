// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane-legalize-islands))' --split-input-file | FileCheck %s

// What no legaliser makes legal goes back to the CPU with the record that it violates; the rest stays on the engine.
// CHECK-LABEL: func.func @rank
// CHECK: %[[R:.*]] = ane.add %{{.*}} {ane.host = #ane.host<"C21", {{.*}}>} : tensor<2x3x4x5x32xf32>, tensor<2x1x4x1x32xf32>
// CHECK: ane.island(%{{.*}}) : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x32xf32>
// CHECK: engine {
// CHECK: ane.relu {{.*}} : tensor<1x64x1x32xf16>
// CHECK: } twin {
// CHECK: ane.relu {{.*}} : tensor<1x64x1x32xf32>
// CHECK-NOT: ane.island
func.func @rank(%a: tensor<2x3x4x5x32xf32>, %b: tensor<1x64x1x32xf32>) -> (tensor<2x3x4x5x32xf32>, tensor<1x64x1x32xf32>) {
  %c = ane.const dense<1.0> : tensor<2x1x4x1x32xf32>
  %0 = ane.add %a, %c : tensor<2x3x4x5x32xf32>, tensor<2x1x4x1x32xf32> loc("five_axes")
  %1 = ane.relu %b : tensor<1x64x1x32xf32> loc("four_axes")
  return %0, %1 : tensor<2x3x4x5x32xf32>, tensor<1x64x1x32xf32>
}

// -----

// Nothing to complain about: the island keeps its body.
// CHECK-LABEL: func.func @legal
// CHECK-NOT: ane.host
// CHECK: ane.island
// CHECK: ane.sigmoid
func.func @legal(%a: tensor<1x64x1x32xf32>) -> tensor<1x64x1x32xf32> {
  %0 = ane.sigmoid %a : tensor<1x64x1x32xf32>
  return %0 : tensor<1x64x1x32xf32>
}

// -----

// Blame needs no names: what an op of the engine comes from is an attribute, and ops without location are told apart.
// The legaliser that could not help says why.
// CHECK-LABEL: func.func @nameless
// CHECK: ane.concat {{.*}}ane.host = #ane.host<"C01", {{.*}}; only floats that are not interleaved are joined by sums">
// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.tanh {{.*}} {ane.from = array<i64: 1>}
// CHECK: } twin {
// CHECK: ane.relu
// CHECK-NEXT: ane.tanh
func.func @nameless(%a: tensor<1x64x1x32xf32>) -> (tensor<1x128x1x32xf32>, tensor<1x64x1x32xf32>) {
  %0 = ane.relu %a : tensor<1x64x1x32xf32>
  %1 = ane.tanh %0 : tensor<1x64x1x32xf32>
  %2 = ane.concat %a, %a {axis = 1 : i64, interleave = true} : (tensor<1x64x1x32xf32>, tensor<1x64x1x32xf32>) -> tensor<1x128x1x32xf32>
  return %2, %1 : tensor<1x128x1x32xf32>, tensor<1x64x1x32xf32>
}
