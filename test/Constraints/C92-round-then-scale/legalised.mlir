// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.floor
// CHECK: dense<5.000000e-01> : tensor<64x64xf16>
// CHECK: ane.mul
// CHECK: twin {
// CHECK: dense<5.000000e-01> : tensor<f32>

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %c = ane.const dense<0.5> : tensor<f32>
    %0 = ane.floor %x : tensor<64x64xf32>
    %1 = ane.mul %0, %c : tensor<64x64xf32>, tensor<f32>
    return %1 : tensor<64x64xf32>
  }
}
