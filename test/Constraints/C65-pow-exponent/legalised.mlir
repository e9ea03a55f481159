// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// VALUES: %x = 0.05 .. 4

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.pow
// CHECK: ane.sqrt
// CHECK: ane.real_div
// CHECK-NOT: ane.pow
// CHECK: twin {
// CHECK: ane.pow

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %c = ane.const dense<-5.0e-01> : tensor<f32>
    %0 = ane.pow %x, %c : tensor<64x64xf32>, tensor<f32>
    return %0 : tensor<64x64xf32>
  }
}
