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
