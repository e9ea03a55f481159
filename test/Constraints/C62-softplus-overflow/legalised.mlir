// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// REWRITE ERROR: 1e-5, because a polynomial stands for the logarithm.

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.softplus
// CHECK: ane.exp
// CHECK: ane.relu
// CHECK-NOT: ane.softplus
// CHECK: twin {
// CHECK: ane.softplus

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = ane.softplus %x : tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}
