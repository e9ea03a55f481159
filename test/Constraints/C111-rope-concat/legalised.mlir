// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.concat
// CHECK: twin {
// CHECK: ane.rope

module attributes {ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<4x64x64xf32>, %c: tensor<64x32xf32>, %s: tensor<64x32xf32>) -> tensor<4x64x64xf32> {
    %0 = ane.rope %x, %c, %s : tensor<4x64x64xf32>, tensor<64x32xf32>, tensor<64x32xf32>
    return %0 : tensor<4x64x64xf32>
  }
}
