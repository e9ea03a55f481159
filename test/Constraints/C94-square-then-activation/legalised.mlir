// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.square
// CHECK: ane.mul
// CHECK: ane.tanh
// CHECK: twin {
// CHECK: ane.square

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x224xf32>) -> tensor<64x224xf32> {
    %0 = ane.square %x : tensor<64x224xf32>
    %1 = ane.tanh %0 : tensor<64x224xf32>
    return %1 : tensor<64x224xf32>
  }
}
