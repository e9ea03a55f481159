// RUN: ane-opt %s --ane-to-legal --ane-verify-legal="advice=true" 2>&1 | FileCheck %s
// VALUES: %x = -20 .. 20

// CHECK-NOT: C58
// CHECK: engine {
// CHECK-NOT: ane.sigmoid
// CHECK-COUNT-2: ane.exp
// CHECK: ane.real_div
// CHECK: twin {
// CHECK: ane.sigmoid
// CHECK: ane.silu

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64x64xf32>) -> (tensor<1x64x64xf32>, tensor<1x64x64xf32>) {
    %0 = ane.sigmoid %x : tensor<1x64x64xf32>
    %1 = ane.silu %x : tensor<1x64x64xf32>
    return %0, %1 : tensor<1x64x64xf32>, tensor<1x64x64xf32>
  }
}
