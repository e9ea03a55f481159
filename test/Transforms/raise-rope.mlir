// RUN: ane-opt %s --ane-raise-composites | FileCheck %s

// CHECK-LABEL: func.func @rope
// CHECK: ane.rope %arg0, %{{.*}}, %{{.*}} : tensor<1x2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>
// CHECK-NOT: ane.concat
// CHECK: return
func.func @rope(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %c = ane.const dense<[[1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 1.0, 2.0]]> : tensor<3x4xf32>
  %s = ane.const dense<[[0.1, 0.2, 0.1, 0.2], [0.3, 0.4, 0.3, 0.4], [0.5, 0.6, 0.5, 0.6]]> : tensor<3x4xf32>
  %0 = ane.mul %x, %c : tensor<1x2x3x4xf32>, tensor<3x4xf32>
  %1 = ane.slice_by_size %x {begin = array<i64: 0, 0, 0, 0>, size = array<i64: 1, 2, 3, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %2 = ane.slice_by_size %x {begin = array<i64: 0, 0, 0, 2>, size = array<i64: 1, 2, 3, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %3 = ane.neg %2 : tensor<1x2x3x2xf32>
  %4 = ane.concat %3, %1 {axis = 3 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %5 = ane.mul %4, %s : tensor<1x2x3x4xf32>, tensor<3x4xf32>
  %6 = ane.add %0, %5 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
  return %6 : tensor<1x2x3x4xf32>
}

// Angles that differ between the halves.
// CHECK-LABEL: func.func @different_angles
// CHECK-NOT: ane.rope
// CHECK: ane.concat
func.func @different_angles(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %c = ane.const dense<[[1.0, 2.0, 1.0, 3.0], [1.0, 2.0, 1.0, 3.0], [1.0, 2.0, 1.0, 3.0]]> : tensor<3x4xf32>
  %s = ane.const dense<[[0.1, 0.2, 0.1, 0.2], [0.3, 0.4, 0.3, 0.4], [0.5, 0.6, 0.5, 0.6]]> : tensor<3x4xf32>
  %0 = ane.mul %x, %c : tensor<1x2x3x4xf32>, tensor<3x4xf32>
  %1 = ane.slice_by_size %x {begin = array<i64: 0, 0, 0, 0>, size = array<i64: 1, 2, 3, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %2 = ane.slice_by_size %x {begin = array<i64: 0, 0, 0, 2>, size = array<i64: 1, 2, 3, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %3 = ane.neg %2 : tensor<1x2x3x2xf32>
  %4 = ane.concat %3, %1 {axis = 3 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %5 = ane.mul %4, %s : tensor<1x2x3x4xf32>, tensor<3x4xf32>
  %6 = ane.add %0, %5 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
  return %6 : tensor<1x2x3x4xf32>
}

// Not the second half.
// CHECK-LABEL: func.func @overlapping
// CHECK-NOT: ane.rope
// CHECK: ane.concat
func.func @overlapping(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %c = ane.const dense<[[1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 1.0, 2.0]]> : tensor<3x4xf32>
  %s = ane.const dense<[[0.1, 0.2, 0.1, 0.2], [0.3, 0.4, 0.3, 0.4], [0.5, 0.6, 0.5, 0.6]]> : tensor<3x4xf32>
  %0 = ane.mul %x, %c : tensor<1x2x3x4xf32>, tensor<3x4xf32>
  %1 = ane.slice_by_size %x {begin = array<i64: 0, 0, 0, 0>, size = array<i64: 1, 2, 3, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %2 = ane.slice_by_size %x {begin = array<i64: 0, 0, 0, 1>, size = array<i64: 1, 2, 3, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %3 = ane.neg %2 : tensor<1x2x3x2xf32>
  %4 = ane.concat %3, %1 {axis = 3 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %5 = ane.mul %4, %s : tensor<1x2x3x4xf32>, tensor<3x4xf32>
  %6 = ane.add %0, %5 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
  return %6 : tensor<1x2x3x4xf32>
}
