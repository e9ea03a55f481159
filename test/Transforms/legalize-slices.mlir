// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-slices)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h13", route = e5rt, os = 15, opset = ios16, strictness = evidence>} {
// Parts of a split share nothing but the value; the first begins at 0.
// CHECK-LABEL: @split
// CHECK: engine {
// CHECK: ane.slice_by_size %{{.*}}begin = array<i64: 0, 0>, size = array<i64: 8, 4>}
// CHECK: %[[T:.*]] = ane.transpose %{{.*}}perm = array<i64: 1, 0>}
// CHECK: %[[S:.*]] = ane.slice_by_size %[[T]] {{.*}}begin = array<i64: 4, 0>, size = array<i64: 12, 8>}
// CHECK: ane.transpose %[[S]] {{.*}}perm = array<i64: 1, 0>}
// CHECK-NOT: ane.split
// CHECK: twin {
func.func @split(%x: tensor<8x16xf32>) -> (tensor<8x4xf32>, tensor<8x12xf32>) {
  %0, %1 = ane.split %x {split_sizes = array<i64: 4, 12>, axis = 1 : i64} : (tensor<8x16xf32>) -> (tensor<8x4xf32>, tensor<8x12xf32>)
  return %0, %1 : tensor<8x4xf32>, tensor<8x12xf32>
}

// A part that nobody reads is not cut off.
// CHECK-LABEL: @unused_part
// CHECK: engine {
// CHECK-NOT: begin = array<i64: 0, 0>
// CHECK: ane.slice_by_size %{{.*}}begin = array<i64: 4, 0>, size = array<i64: 12, 8>}
// CHECK-NOT: ane.slice_by_size
// CHECK: twin {
func.func @unused_part(%x: tensor<8x16xf32>) -> tensor<8x12xf32> {
  %0, %1 = ane.split %x {split_sizes = array<i64: 4, 12>, axis = 1 : i64} : (tensor<8x16xf32>) -> (tensor<8x4xf32>, tensor<8x12xf32>)
  return %1 : tensor<8x12xf32>
}

// The longest other axis takes the place of the last one.
// CHECK-LABEL: @crop
// CHECK: engine {
// CHECK: ane.transpose %{{.*}}perm = array<i64: 0, 3, 2, 1>}
// CHECK: ane.slice_by_size %{{.*}}begin = array<i64: 0, 3, 1, 0>, size = array<i64: 1, 10, 2, 32>}
// CHECK: twin {
func.func @crop(%x: tensor<1x32x4x16xf32>) -> tensor<1x32x2x10xf32> {
  %0 = ane.crop %x {crop_height = array<i64: 1, 1>, crop_width = array<i64: 3, 3>} : (tensor<1x32x4x16xf32>) -> tensor<1x32x2x10xf32>
  return %0 : tensor<1x32x2x10xf32>
}

// A step and a dropped axis stay what they are.
// CHECK-LABEL: @step
// CHECK: engine {
// CHECK: ane.transpose
// CHECK: ane.slice_by_index %{{.*}}begin = array<i64: 1, 0>, end = array<i64: 14, 8>, stride = array<i64: 3, 1>} : (tensor<16x8xf32>) -> tensor<5x8xf32>
// CHECK: twin {
func.func @step(%x: tensor<8x16xf32>) -> tensor<8x5xf32> {
  %0 = ane.slice_by_index %x {begin = array<i64: 0, 1>, end = array<i64: 8, 15>, stride = array<i64: 1, 3>} : (tensor<8x16xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// CHECK-LABEL: @vector
// CHECK: engine {
// CHECK: ane.reshape
// CHECK: ane.slice_by_size %{{.*}}begin = array<i64: 8, 0>, size = array<i64: 8, 1>}
// CHECK: twin {
func.func @vector(%x: tensor<16xf32>) -> tensor<8xf32> {
  %0 = ane.slice_by_size %x {begin = array<i64: 8>, size = array<i64: 8>} : (tensor<16xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
}
