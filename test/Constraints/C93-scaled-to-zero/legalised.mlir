// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-dtype,ane-legalize-neighbours)))' | FileCheck %s
// In a program; an op of a model that has such a factor is on the CPU (C213).

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.reduce_max
// CHECK: ane.sub
// CHECK-NOT: ane.mul
// CHECK: twin {
// CHECK: ane.mul

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %c = ane.const dense<1.0e-30> : tensor<f32>
    %0 = ane.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<64x64xf32>) -> tensor<64x1xf32>
    %1 = ane.mul %0, %c : tensor<64x1xf32>, tensor<f32>
    %2 = ane.add %x, %1 : tensor<64x64xf32>, tensor<64x1xf32>
    return %2 : tensor<64x64xf32>
  }
}
