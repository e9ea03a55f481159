// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// VALUES: %x = 0.01 .. 4

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.maximum
// CHECK: ane.log
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = ane.log %x : tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}
