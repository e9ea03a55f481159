// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-seal-constants))' | FileCheck %s

// What is computed is one op, which has no file yet; movements and casts of a weight stay ops.
// CHECK-LABEL: func.func @computed
// CHECK-NEXT: %[[LOGS:.*]] = ane.blob "" at 64 : tensor<2xf32> {
// CHECK-NEXT: ane.const
// CHECK-NEXT: ane.softmax
// CHECK-NEXT: ane.log
// CHECK-NEXT: ane.yield
// CHECK-NEXT: }
// CHECK-NEXT: ane.reshape %[[LOGS]]
// CHECK-NEXT: ane.add
// CHECK-NEXT: %[[WEIGHT:.*]] = ane.const
// CHECK-NEXT: ane.cast %[[WEIGHT]]
func.func @computed(%x: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<2xf32>) {
  %c = ane.const dense<[1.0, -11.5]> : tensor<2xf32>
  %1 = ane.softmax %c {axis = 0 : i64} : tensor<2xf32>
  %2 = ane.log %1 {epsilon = 0.0} : tensor<2xf32>
  %3 = ane.reshape %2 {shape = array<i64: 1, 2>} : (tensor<2xf32>) -> tensor<1x2xf32>
  %4 = ane.add %x, %3 : tensor<1x2xf32>, tensor<1x2xf32>
  %w = ane.const dense<[1.0, 2.0]> : tensor<2xf16>
  %5 = ane.cast %w {dtype = "fp32"} : (tensor<2xf16>) -> tensor<2xf32>
  %6 = ane.add %x, %5 : tensor<1x2xf32>, tensor<2xf32>
  return %4, %5 : tensor<1x2xf32>, tensor<2xf32>
}

// What two ops read is computed once: one of them is a constant that is computed from it.
// CHECK-LABEL: func.func @shared
// CHECK-NEXT: %[[TWICE:.*]] = ane.blob "" at 64 : tensor<4xf32> {
// CHECK: }
// CHECK-NEXT: ane.mul %arg0, %[[TWICE]]
// CHECK-NEXT: %[[ROOT:.*]] = ane.blob "" at 64 : tensor<4xf32> {
// CHECK: ane.blob
// CHECK: ane.sqrt
// CHECK: }
// CHECK-NEXT: ane.mul %arg0, %[[ROOT]]
func.func @shared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = ane.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %d = ane.add %c, %c : tensor<4xf32>, tensor<4xf32>
  %0 = ane.mul %x, %d : tensor<4xf32>, tensor<4xf32>
  %r = ane.sqrt %d : tensor<4xf32>
  %1 = ane.mul %x, %r : tensor<4xf32>, tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// What no rule computes at compile time stays, and what reads it.
// CHECK-LABEL: func.func @not_known
// CHECK-NOT: ane.blob
// CHECK: ane.argsort
func.func @not_known() -> tensor<4xi32> {
  %c = ane.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = ane.argsort %c : tensor<4xf32>
  return %0 : tensor<4xi32>
}

// Composites are computed as the simpler ops that they are made of.
// CHECK-LABEL: func.func @attention
// CHECK-NEXT: ane.blob "" at 64 : tensor<1x2x2xf32> {
// CHECK: ane.rope
// CHECK: ane.scaled_dot_product_attention
// CHECK: ane.yield
// CHECK-NEXT: }
// CHECK-NEXT: ane.add
func.func @attention(%x: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
  %q = ane.const dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %cos = ane.const dense<[[0.6], [0.8]]> : tensor<2x1xf32>
  %sin = ane.const dense<[[0.8], [0.6]]> : tensor<2x1xf32>
  %0 = ane.rope %q, %cos, %sin {layout = "half"} : tensor<1x2x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>
  %1 = ane.scaled_dot_product_attention %0, %0, %q : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %2 = ane.add %x, %1 : tensor<1x2x2xf32>, tensor<1x2x2xf32>
  return %2 : tensor<1x2x2xf32>
}
