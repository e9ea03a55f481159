// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.hard_swish
// CHECK: ane.sigmoid_hard
// CHECK-NOT: ane.hard_swish
// CHECK: twin {
// CHECK: ane.hard_swish

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = ane.hard_swish %x : tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}
