// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// NOT COMPARED: because the inputs are bf16, which no host function takes

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: bf16
// CHECK: twin {
// CHECK: bf16

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
    %0 = ane.relu %x : tensor<64x64xbf16>
    return %0 : tensor<64x64xbf16>
  }
}
