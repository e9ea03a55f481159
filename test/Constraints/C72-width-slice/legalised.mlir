// RUN: ane-opt %s --split-input-file --ane-to-legal --ane-verify-legal | FileCheck %s

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

// -----

// CHECK: engine {
// CHECK-NOT: ane.split
// CHECK: ane.transpose
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x32xf32> {
    %a, %b = ane.split %x {num_splits = 2 : i64, axis = -1 : i64} : (tensor<64x64xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>)
    %0 = ane.mul %a, %b : tensor<64x32xf32>, tensor<64x32xf32>
    return %0 : tensor<64x32xf32>
  }
}

// -----

// CHECK: engine {
// CHECK-NOT: ane.crop
// CHECK: ane.transpose
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x32x4x64xf32>) -> tensor<1x32x2x32xf32> {
    %a = ane.exp %x : tensor<1x32x4x64xf32>
    %0 = ane.crop %a {crop_height = array<i64: 1, 1>, crop_width = array<i64: 30, 2>} : (tensor<1x32x4x64xf32>) -> tensor<1x32x2x32xf32>
    %1 = ane.relu %0 : tensor<1x32x2x32xf32>
    return %1 : tensor<1x32x2x32xf32>
  }
}

// -----

// CHECK: engine {
// CHECK: ane.transpose
// CHECK: ane.slice_by_index
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x16xf32> {
    %a = ane.exp %x : tensor<64x64xf32>
    %0 = ane.slice_by_index %a {begin = array<i64: 0, 1>, end = array<i64: 64, 64>, stride = array<i64: 1, 4>} : (tensor<64x64xf32>) -> tensor<64x16xf32>
    %1 = ane.relu %0 : tensor<64x16xf32>
    return %1 : tensor<64x16xf32>
  }
}
