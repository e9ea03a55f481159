// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: engine {
// CHECK-NOT: ane.tile
// CHECK: ane.mul
// CHECK: twin {
// CHECK: ane.tile

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64x1x32xf32>) -> tensor<1x64x8x32xf32> {
    %0 = ane.tile %x {reps = array<i64: 1, 1, 8, 1>} : (tensor<1x64x1x32xf32>) -> tensor<1x64x8x32xf32>
    return %0 : tensor<1x64x8x32xf32>
  }
}
