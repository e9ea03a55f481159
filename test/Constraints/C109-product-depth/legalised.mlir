// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK-COUNT-2: ane.pad
// CHECK: ane.matmul
// CHECK: twin {
// CHECK-NOT: ane.pad

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<4x64x80xf32>, %y: tensor<4x80x64xf32>) -> tensor<4x64x64xf32> {
    %0 = ane.matmul %x, %y : (tensor<4x64x80xf32>, tensor<4x80x64xf32>) -> tensor<4x64x64xf32>
    return %0 : tensor<4x64x64xf32>
  }
}
