// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-slices)),ane-verify-legal{only=C73})' | FileCheck %s
// NOT COMPARED: because C01 makes sums of every concat before, so that the pass runs by itself here

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.transpose
// CHECK: ane.slice_by_size {{.*}}begin = array<i64: 32, 0>
// CHECK: ane.concat
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h13", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = ane.sigmoid %x : tensor<64x64xf32>
    %1 = ane.slice_by_size %0 {begin = array<i64: 0, 32>, size = array<i64: 64, 32>} : (tensor<64x64xf32>) -> tensor<64x32xf32>
    %2 = ane.slice_by_size %0 {begin = array<i64: 0, 16>, size = array<i64: 64, 32>} : (tensor<64x64xf32>) -> tensor<64x32xf32>
    %3 = ane.concat %1, %2 {axis = 1 : i64} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
    %4 = ane.relu %3 : tensor<64x64xf32>
    return %4 : tensor<64x64xf32>
  }
}
