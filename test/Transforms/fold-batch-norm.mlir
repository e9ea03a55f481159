// RUN: ane-opt %s --ane-fold-batch-norm | FileCheck %s
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-fold-batch-norm)))' | FileCheck %s --check-prefix=ISLAND

// CHECK-LABEL: func.func @norm
// CHECK-DAG: ane.const dense<{{\[\[\[\[}}4.49997759]], {{.*}} : tensor<2x3x1x1xf32>
// CHECK: %[[C:.*]] = ane.conv %arg0, %{{.*}} bias %{{.*}}
// CHECK-NEXT: return %[[C]]
func.func @norm(%x: tensor<1x3x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = ane.const dense<1.5> : tensor<2x3x1x1xf32>
  %b = ane.const dense<[1.0, 2.0]> : tensor<2xf32>
  %c = ane.const dense<[3.0, 4.0]> : tensor<2xf32>
  %1 = ane.conv %x, %w bias %b {strides = array<i64: 1, 1>} : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %2 = ane.batch_norm %1, %c, %b gamma %c beta %c : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  return %2 : tensor<1x2x4x4xf32>
}

// Output channels of a transposed convolution are axis 1.
// CHECK-LABEL: func.func @transposed
// CHECK-DAG: ane.const dense<{{\[\[\[\[}}0.866023957]], {{\[\[}}0.749999105]]], {{.*}} : tensor<3x2x1x1xf32>
// CHECK: %[[C:.*]] = ane.conv_transpose %arg0
// CHECK-NEXT: return %[[C]]
func.func @transposed(%x: tensor<1x3x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = ane.const dense<1.5> : tensor<3x2x1x1xf32>
  %c = ane.const dense<[3.0, 4.0]> : tensor<2xf32>
  %1 = ane.conv_transpose %x, %w {strides = array<i64: 1, 1>} : (tensor<1x3x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = ane.batch_norm %1, %c, %c : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  return %2 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @affine
// CHECK: %[[C:.*]] = ane.conv
// CHECK-NEXT: return %[[C]]
func.func @affine(%x: tensor<1x3x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = ane.const dense<1.5> : tensor<2x3x1x1xf32>
  %b = ane.const dense<[1.0, 2.0]> : tensor<2xf32>
  %c = ane.const dense<[3.0, 4.0]> : tensor<2xf32>
  %f = ane.const dense<[[[3.0]], [[4.0]]]> : tensor<2x1x1xf32>
  %s = ane.const dense<0.5> : tensor<f32>
  %1 = ane.conv %x, %w bias %b {strides = array<i64: 1, 1>} : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %2 = ane.mul %1, %f : tensor<1x2x4x4xf32>, tensor<2x1x1xf32>
  %3 = ane.add %s, %2 : tensor<f32>, tensor<1x2x4x4xf32>
  return %3 : tensor<1x2x4x4xf32>
}

// Another reader of the convolution; an addend that differs along the width.
// CHECK-LABEL: func.func @needed
// CHECK: ane.conv
// CHECK: ane.mul
// CHECK: ane.conv
// CHECK: ane.add
func.func @needed(%x: tensor<1x3x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = ane.const dense<1.5> : tensor<2x3x1x1xf32>
  %b = ane.const dense<[1.0, 2.0]> : tensor<2xf32>
  %c = ane.const dense<[3.0, 4.0]> : tensor<2xf32>
  %f = ane.const dense<[[[3.0]], [[4.0]]]> : tensor<2x1x1xf32>
  %v = ane.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = ane.conv %x, %w bias %b {strides = array<i64: 1, 1>} : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %2 = ane.mul %1, %f : tensor<1x2x4x4xf32>, tensor<2x1x1xf32>
  %3 = ane.conv %x, %w bias %b {strides = array<i64: 1, 1>} : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %4 = ane.add %3, %v : tensor<1x2x4x4xf32>, tensor<4xf32>
  return %1, %2, %4 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// In an island: the factor is 64, and twice what the convolution sums for the second channel, its mean without the bias of 22, ends at
// 32,736; with a mean of 278 it would end at 32,768, beyond the accumulator. In the last the factor is 1.
// ISLAND-LABEL: func.func @large
// ISLAND: engine {
// ISLAND-NOT: ane.batch_norm
// ISLAND: ane.conv
// ISLAND: ane.conv
// ISLAND: ane.batch_norm
// ISLAND: ane.conv
// ISLAND-NOT: ane.batch_norm
// ISLAND: } twin {
func.func @large(%in: tensor<1x3x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %0:3 = ane.island(%in) : (tensor<1x3x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) engine {
  } twin {
  ^bb0(%x: tensor<1x3x4x4xf32>):
    %b = ane.const dense<[1.0, 22.0]> : tensor<2xf32>
    %wi = ane.const dense<1.5> : tensor<2x3x1x1xf32>
    %m = ane.const dense<[3.0, 277.75]> : tensor<2xf32>
    %l = ane.const dense<[3.0, 278.0]> : tensor<2xf32>
    %v = ane.const dense<0.000244140625> : tensor<2xf32>
    %one = ane.const dense<1.0> : tensor<2xf32>
    %1 = ane.conv %x, %wi bias %b {strides = array<i64: 1, 1>} : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %2 = ane.batch_norm %1, %m, %v {epsilon = 0.0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %3 = ane.conv %x, %wi bias %b {strides = array<i64: 1, 1>} : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %4 = ane.batch_norm %3, %l, %v {epsilon = 0.0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %5 = ane.conv %x, %wi bias %b {strides = array<i64: 1, 1>} : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %6 = ane.batch_norm %5, %l, %one {epsilon = 0.0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    ane.yield %2, %4, %6 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}
