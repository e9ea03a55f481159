// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s

// CHECK: ane.program
// CHECK-NOT: ane.identity
// CHECK: return

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = ane.relu %x : tensor<64x64xf32>
    %1 = ane.identity %0 : tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}
