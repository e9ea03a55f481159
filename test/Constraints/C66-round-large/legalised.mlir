// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// VALUES: %x = -40 .. 40

// CHECK: engine {
// CHECK-NOT: ane.round
// CHECK-COUNT-2: ane.floor
// CHECK: twin {
// CHECK: ane.round

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64x4x64xf16>) -> tensor<1x64x4x64xf16> {
    %0 = ane.round %x : tensor<1x64x4x64xf16>
    return %0 : tensor<1x64x4x64xf16>
  }
}
