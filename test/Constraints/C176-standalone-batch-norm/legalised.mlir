// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// VALUES: %v = 0.5 .. 2

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.batch_norm
// CHECK: twin {
// CHECK: ane.batch_norm

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64x32x32xf32>, %m: tensor<64xf32>, %v: tensor<64xf32>) -> tensor<1x64x32x32xf32> {
    %0 = ane.batch_norm %x, %m, %v : (tensor<1x64x32x32xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x64x32x32xf32>
    return %0 : tensor<1x64x32x32xf32>
  }
}
