// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.mul %{{.*}}
// CHECK: ane.slice_by_index
// CHECK: twin {
// CHECK-NOT: ane.mul
// CHECK: ane.slice_by_index

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64x1x128xf32>) -> tensor<1x64x1x64xf32> {
    %0 = ane.slice_by_index %x {begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 64, 1, 128>, stride = array<i64: 1, 1, 1, 2>} : (tensor<1x64x1x128xf32>) -> tensor<1x64x1x64xf32>
    %1 = ane.relu %0 : tensor<1x64x1x64xf32>
    return %1 : tensor<1x64x1x64xf32>
  }
}
