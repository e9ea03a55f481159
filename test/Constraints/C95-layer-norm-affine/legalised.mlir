// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.layer_norm
// CHECK: twin {
// CHECK: ane.layer_norm

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<16x1024xf32>, %g: tensor<1024xf32>, %b: tensor<1024xf32>) -> tensor<16x1024xf32> {
    %0 = ane.layer_norm %x gamma %g beta %b {axes = array<i64: -1>} : (tensor<16x1024xf32>, tensor<1024xf32>, tensor<1024xf32>) -> tensor<16x1024xf32>
    return %0 : tensor<16x1024xf32>
  }
}
