// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.transpose
// CHECK: ane.slice_by_size {{.*}}begin = array<i64: 32, 0>
// CHECK: ane.transpose
// CHECK: twin {
// CHECK: ane.slice_by_size {{.*}}begin = array<i64: 0, 32>

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x32xf32> {
    %0 = ane.exp %x : tensor<64x64xf32>
    %1 = ane.slice_by_size %0 {begin = array<i64: 0, 32>, size = array<i64: 64, 32>} : (tensor<64x64xf32>) -> tensor<64x32xf32>
    %2 = ane.relu %1 : tensor<64x32xf32>
    return %2 : tensor<64x32xf32>
  }
}
