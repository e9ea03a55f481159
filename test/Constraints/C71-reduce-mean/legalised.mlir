// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.reduce_mean
// CHECK: ane.mul
// CHECK: ane.reduce_sum
// CHECK-NOT: ane.reduce_mean
// CHECK: twin {
// CHECK: ane.reduce_mean

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x1xf32> {
    %0 = ane.reduce_mean %x {axes = array<i64: 1>, keep_dims = true} : (tensor<64x64xf32>) -> tensor<64x1xf32>
    return %0 : tensor<64x1xf32>
  }
}
