// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.rms_norm
// CHECK: ane.reduce_max
// CHECK: ane.real_div
// CHECK: ane.sqrt
// CHECK-NOT: ane.rms_norm
// CHECK: twin {
// CHECK: ane.rms_norm

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = ane.rms_norm %x {axes = array<i64: 1>, epsilon = 1.0e-05 : f64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}
