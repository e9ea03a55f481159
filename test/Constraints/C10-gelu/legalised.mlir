// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// REWRITE ERROR: 1e-4, because the tanh form is 5e-4 off at most.
// The twin keeps the exact form, the engine gets the tanh form.

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.gelu 
// CHECK: ane.tanh
// CHECK-NOT: ane.gelu 
// CHECK: twin {
// CHECK: ane.gelu 

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = ane.gelu %x {mode = "EXACT"} : tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}
