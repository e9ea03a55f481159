// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.const
// CHECK: ane.matmul
// CHECK-NOT: ane.slice_by_size
// CHECK: twin {
// CHECK: ane.slice_by_size

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x128x64xf32>) -> tensor<1x1x64xf32> {
    %0 = ane.exp %x : tensor<1x128x64xf32>
    %1 = ane.slice_by_size %0 {begin = array<i64: 0, 5, 0>, size = array<i64: 1, 1, 64>} : (tensor<1x128x64xf32>) -> tensor<1x1x64xf32>
    %2 = ane.relu %1 : tensor<1x1x64xf32>
    return %2 : tensor<1x1x64xf32>
  }
}
