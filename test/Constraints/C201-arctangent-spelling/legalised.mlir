// RUN: ane-opt %s --ane-to-legal --ane-verify-legal="advice=true" 2>&1 | FileCheck %s
// VALUES: %x = -20 .. 20
// REWRITE ERROR: 6e-5, because a polynomial stands for the function.

// CHECK-NOT: C201
// CHECK: engine {
// CHECK-NOT: ane.atan
// CHECK: ane.maximum
// CHECK: ane.sqrt
// CHECK: twin {
// CHECK: ane.atan

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64x64xf32>) -> tensor<1x64x64xf32> {
    %0 = ane.atan %x : tensor<1x64x64xf32>
    return %0 : tensor<1x64x64xf32>
  }
}
