// RUN: ane-opt %s --ane-raise-composites | FileCheck %s

// Reshapes around the transpose of the key, a scale of 1 / sqrt 8.
// CHECK-LABEL: func.func @attention
// CHECK-NEXT: %[[A:.*]] = ane.scaled_dot_product_attention %arg0, %arg1, %arg2 mask %arg3
// CHECK-NEXT: return %[[A]]
func.func @attention(%q: tensor<1x4x3x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>, %m: tensor<3x5xf32>) -> tensor<1x4x3x8xf32> {
  %f = ane.const dense<0.353553385> : tensor<f32>
  %0 = ane.reshape %k {shape = array<i64: 4, 5, 8>} : (tensor<1x4x5x8xf32>) -> tensor<4x5x8xf32>
  %1 = ane.transpose %0 {perm = array<i64: 0, 2, 1>} : (tensor<4x5x8xf32>) -> tensor<4x8x5xf32>
  %2 = ane.reshape %1 {shape = array<i64: 1, 4, 8, 5>} : (tensor<4x8x5xf32>) -> tensor<1x4x8x5xf32>
  %3 = ane.matmul %q, %2 : (tensor<1x4x3x8xf32>, tensor<1x4x8x5xf32>) -> tensor<1x4x3x5xf32>
  %4 = ane.mul %3, %f : tensor<1x4x3x5xf32>, tensor<f32>
  %5 = ane.add %4, %m : tensor<1x4x3x5xf32>, tensor<3x5xf32>
  %p = ane.softmax %5 {axis = 3 : i64} : tensor<1x4x3x5xf32>
  %o = ane.matmul %p, %v : (tensor<1x4x3x5xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x3x8xf32>
  return %o : tensor<1x4x3x8xf32>
}

// Another scale goes to the query.
// CHECK-LABEL: func.func @scale
// CHECK: %[[Q:.*]] = ane.mul %arg0, %{{.*}} : tensor<1x4x3x8xf32>, tensor<f32>
// CHECK: ane.scaled_dot_product_attention %[[Q]], %arg1, %arg2
func.func @scale(%q: tensor<1x4x3x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>, %m: tensor<3x5xf32>) -> tensor<1x4x3x8xf32> {
  %f = ane.const dense<0.5> : tensor<f32>
  %0 = ane.reshape %k {shape = array<i64: 4, 5, 8>} : (tensor<1x4x5x8xf32>) -> tensor<4x5x8xf32>
  %1 = ane.transpose %0 {perm = array<i64: 0, 2, 1>} : (tensor<4x5x8xf32>) -> tensor<4x8x5xf32>
  %2 = ane.reshape %1 {shape = array<i64: 1, 4, 8, 5>} : (tensor<4x8x5xf32>) -> tensor<1x4x8x5xf32>
  %3 = ane.matmul %q, %2 : (tensor<1x4x3x8xf32>, tensor<1x4x8x5xf32>) -> tensor<1x4x3x5xf32>
  %4 = ane.mul %3, %f : tensor<1x4x3x5xf32>, tensor<f32>
  %5 = ane.add %4, %m : tensor<1x4x3x5xf32>, tensor<3x5xf32>
  %p = ane.softmax %5 {axis = 3 : i64} : tensor<1x4x3x5xf32>
  %o = ane.matmul %p, %v : (tensor<1x4x3x5xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x3x8xf32>
  return %o : tensor<1x4x3x8xf32>
}

// No row is masked as a whole: there is no NaN to guard against.
// CHECK-LABEL: func.func @guard
// CHECK-NOT: ane.select
// CHECK: ane.scaled_dot_product_attention
func.func @guard(%q: tensor<1x4x3x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>) -> tensor<1x4x3x8xf32> {
  %f = ane.const dense<0.353553385> : tensor<f32>
  %m = ane.const dense<[[0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000, 0xFF800000]]> : tensor<3x5xf32>
  %0 = ane.reshape %k {shape = array<i64: 4, 5, 8>} : (tensor<1x4x5x8xf32>) -> tensor<4x5x8xf32>
  %1 = ane.transpose %0 {perm = array<i64: 0, 2, 1>} : (tensor<4x5x8xf32>) -> tensor<4x8x5xf32>
  %2 = ane.reshape %1 {shape = array<i64: 1, 4, 8, 5>} : (tensor<4x8x5xf32>) -> tensor<1x4x8x5xf32>
  %3 = ane.matmul %q, %2 : (tensor<1x4x3x8xf32>, tensor<1x4x8x5xf32>) -> tensor<1x4x3x5xf32>
  %4 = ane.mul %3, %f : tensor<1x4x3x5xf32>, tensor<f32>
  %5 = ane.add %4, %m : tensor<1x4x3x5xf32>, tensor<3x5xf32>
  %p = ane.softmax %5 {axis = 3 : i64} : tensor<1x4x3x5xf32>
  %zero = ane.const dense<0.0> : tensor<f32>
  %n = ane.not_equal %p, %p : tensor<1x4x3x5xf32>, tensor<1x4x3x5xf32>
  %pp = ane.select %n, %zero, %p : tensor<1x4x3x5xi1>, tensor<f32>, tensor<1x4x3x5xf32>
  %o = ane.matmul %pp, %v : (tensor<1x4x3x5xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x3x8xf32>
  return %o : tensor<1x4x3x8xf32>
}

// The second row is.
// CHECK-LABEL: func.func @needed_guard
// CHECK-NOT: scaled_dot_product
// CHECK: ane.select
func.func @needed_guard(%q: tensor<1x4x3x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>) -> tensor<1x4x3x8xf32> {
  %f = ane.const dense<0.353553385> : tensor<f32>
  %m = ane.const dense<[[0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000, 0xFF800000]]> : tensor<3x5xf32>
  %0 = ane.reshape %k {shape = array<i64: 4, 5, 8>} : (tensor<1x4x5x8xf32>) -> tensor<4x5x8xf32>
  %1 = ane.transpose %0 {perm = array<i64: 0, 2, 1>} : (tensor<4x5x8xf32>) -> tensor<4x8x5xf32>
  %2 = ane.reshape %1 {shape = array<i64: 1, 4, 8, 5>} : (tensor<4x8x5xf32>) -> tensor<1x4x8x5xf32>
  %3 = ane.matmul %q, %2 : (tensor<1x4x3x8xf32>, tensor<1x4x8x5xf32>) -> tensor<1x4x3x5xf32>
  %4 = ane.mul %3, %f : tensor<1x4x3x5xf32>, tensor<f32>
  %5 = ane.add %4, %m : tensor<1x4x3x5xf32>, tensor<3x5xf32>
  %p = ane.softmax %5 {axis = 3 : i64} : tensor<1x4x3x5xf32>
  %zero = ane.const dense<0.0> : tensor<f32>
  %n = ane.not_equal %p, %p : tensor<1x4x3x5xf32>, tensor<1x4x3x5xf32>
  %pp = ane.select %n, %zero, %p : tensor<1x4x3x5xi1>, tensor<f32>, tensor<1x4x3x5xf32>
  %o = ane.matmul %pp, %v : (tensor<1x4x3x5xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x3x8xf32>
  return %o : tensor<1x4x3x8xf32>
}

// A mask from outside may hold anything.
// CHECK-LABEL: func.func @unknown_mask
// CHECK: ane.select
func.func @unknown_mask(%q: tensor<1x4x3x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>, %m: tensor<3x5xf32>) -> tensor<1x4x3x8xf32> {
  %f = ane.const dense<0.353553385> : tensor<f32>
  %0 = ane.reshape %k {shape = array<i64: 4, 5, 8>} : (tensor<1x4x5x8xf32>) -> tensor<4x5x8xf32>
  %1 = ane.transpose %0 {perm = array<i64: 0, 2, 1>} : (tensor<4x5x8xf32>) -> tensor<4x8x5xf32>
  %2 = ane.reshape %1 {shape = array<i64: 1, 4, 8, 5>} : (tensor<4x8x5xf32>) -> tensor<1x4x8x5xf32>
  %3 = ane.matmul %q, %2 : (tensor<1x4x3x8xf32>, tensor<1x4x8x5xf32>) -> tensor<1x4x3x5xf32>
  %4 = ane.mul %3, %f : tensor<1x4x3x5xf32>, tensor<f32>
  %5 = ane.add %4, %m : tensor<1x4x3x5xf32>, tensor<3x5xf32>
  %p = ane.softmax %5 {axis = 3 : i64} : tensor<1x4x3x5xf32>
  %zero = ane.const dense<0.0> : tensor<f32>
  %n = ane.not_equal %p, %p : tensor<1x4x3x5xf32>, tensor<1x4x3x5xf32>
  %pp = ane.select %n, %zero, %p : tensor<1x4x3x5xi1>, tensor<f32>, tensor<1x4x3x5xf32>
  %o = ane.matmul %pp, %v : (tensor<1x4x3x5xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x3x8xf32>
  return %o : tensor<1x4x3x8xf32>
}

// Heads of keys and values that are repeated are shared instead.
// CHECK-LABEL: func.func @groups
// CHECK-NEXT: %[[A:.*]] = ane.scaled_dot_product_attention %arg0, %arg1, %arg2
// CHECK-NEXT: return %[[A]]
func.func @groups(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32> {
  %f = ane.const dense<0.353553385> : tensor<f32>
  %0 = ane.expand_dims %k {axes = array<i64: 2>} : (tensor<1x2x5x8xf32>) -> tensor<1x2x1x5x8xf32>
  %1 = ane.tile %0 {reps = array<i64: 1, 1, 2, 1, 1>} : (tensor<1x2x1x5x8xf32>) -> tensor<1x2x2x5x8xf32>
  %2 = ane.reshape %1 {shape = array<i64: 1, 4, 5, 8>} : (tensor<1x2x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  %3 = ane.expand_dims %v {axes = array<i64: 2>} : (tensor<1x2x5x8xf32>) -> tensor<1x2x1x5x8xf32>
  %4 = ane.tile %3 {reps = array<i64: 1, 1, 2, 1, 1>} : (tensor<1x2x1x5x8xf32>) -> tensor<1x2x2x5x8xf32>
  %5 = ane.reshape %4 {shape = array<i64: 1, 4, 5, 8>} : (tensor<1x2x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  %6 = ane.mul %q, %f : tensor<1x4x3x8xf32>, tensor<f32>
  %7 = ane.matmul %6, %2 {transpose_y = true} : (tensor<1x4x3x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x3x5xf32>
  %8 = ane.softmax %7 {axis = -1 : i64} : tensor<1x4x3x5xf32>
  %9 = ane.matmul %8, %5 : (tensor<1x4x3x5xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x3x8xf32>
  return %9 : tensor<1x4x3x8xf32>
}

// CHECK-LABEL: func.func @grouped_product
// CHECK: %[[X:.*]] = ane.reshape %arg0 {shape = array<i64: 1, 2, 6, 5>}
// CHECK: %[[P:.*]] = ane.matmul %[[X]], %arg1
// CHECK: ane.reshape %[[P]] {shape = array<i64: 1, 4, 3, 8>}
func.func @grouped_product(%x: tensor<1x4x3x5xf32>, %v: tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32> {
  %0 = ane.expand_dims %v {axes = array<i64: 2>} : (tensor<1x2x5x8xf32>) -> tensor<1x2x1x5x8xf32>
  %1 = ane.tile %0 {reps = array<i64: 1, 1, 2, 1, 1>} : (tensor<1x2x1x5x8xf32>) -> tensor<1x2x2x5x8xf32>
  %2 = ane.reshape %1 {shape = array<i64: 1, 4, 5, 8>} : (tensor<1x2x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  %3 = ane.matmul %x, %2 : (tensor<1x4x3x5xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x3x8xf32>
  return %3 : tensor<1x4x3x8xf32>
}
