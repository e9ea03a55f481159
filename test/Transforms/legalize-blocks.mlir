// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-blocks)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = evidence>} {
// CHECK-LABEL: @depth_to_space
// CHECK: ane.relayout %{{.*}} expand [5, 5, 8, 8] perm [2, 0, 3, 1]
func.func @depth_to_space(%x: tensor<1x50x4x8xf32>) -> tensor<1x2x20x40xf32> {
  %0 = ane.depth_to_space %x {block_size = 5 : i64} : (tensor<1x50x4x8xf32>) -> tensor<1x2x20x40xf32>
  return %0 : tensor<1x2x20x40xf32>
}

// CHECK-LABEL: @space_to_depth
// CHECK: ane.relayout %{{.*}} expand [8, 5, 8, 5] perm [1, 3, 0, 2]
func.func @space_to_depth(%x: tensor<1x2x20x40xf32>) -> tensor<1x50x4x8xf32> {
  %0 = ane.space_to_depth %x {block_size = 5 : i64} : (tensor<1x2x20x40xf32>) -> tensor<1x50x4x8xf32>
  return %0 : tensor<1x50x4x8xf32>
}

// CHECK-LABEL: @pixel_shuffle
// CHECK: ane.relayout %{{.*}} expand [2, 5, 5, 4, 8] perm [0, 3, 1, 4, 2]
func.func @pixel_shuffle(%x: tensor<1x50x4x8xf32>) -> tensor<1x2x20x40xf32> {
  %0 = ane.pixel_shuffle %x {upscale_factor = 5 : i64} : (tensor<1x50x4x8xf32>) -> tensor<1x2x20x40xf32>
  return %0 : tensor<1x2x20x40xf32>
}

// CHECK-LABEL: @pixel_unshuffle
// CHECK: ane.relayout %{{.*}} expand [2, 4, 5, 8, 5] perm [0, 2, 4, 1, 3]
func.func @pixel_unshuffle(%x: tensor<1x2x20x40xf32>) -> tensor<1x50x4x8xf32> {
  %0 = ane.pixel_unshuffle %x {downscale_factor = 5 : i64} : (tensor<1x2x20x40xf32>) -> tensor<1x50x4x8xf32>
  return %0 : tensor<1x50x4x8xf32>
}

// A block of 4 has a form of its own.
// CHECK-LABEL: @known
// CHECK: engine {
// CHECK: ane.space_to_depth
// CHECK: twin {
func.func @known(%x: tensor<1x2x20x40xf32>) -> tensor<1x32x5x10xf32> {
  %0 = ane.space_to_depth %x {block_size = 4 : i64} : (tensor<1x2x20x40xf32>) -> tensor<1x32x5x10xf32>
  return %0 : tensor<1x32x5x10xf32>
}
}
