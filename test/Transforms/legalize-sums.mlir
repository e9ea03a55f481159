// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-sums)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // CHECK-LABEL: func.func @long
  // CHECK: engine {
  // CHECK: %[[HALVES:.*]] = ane.const dense<5.000000e-01> : tensor<1x512xf32>
  // CHECK: %[[S:.*]] = ane.linear %{{.*}}, %[[HALVES]]
  // CHECK: %[[TWO:.*]] = ane.const dense<2.000000e+00>
  // CHECK: ane.mul %[[S]], %[[TWO]]
  // CHECK: } twin {
  func.func @long(%in0: tensor<4x512xf32>) -> tensor<4xf32> {
    %0 = ane.island(%in0) : (tensor<4x512xf32>) -> (tensor<4xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x512xf32>):
      %1 = ane.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x512xf32>) -> tensor<4xf32>
      ane.yield %1 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }

  // A mean of 300 is 1024 / 300 times the sum of x / 1024.
  // CHECK-LABEL: func.func @mean
  // CHECK: engine {
  // CHECK: ane.const dense<9.765625E-4> : tensor<1x300xf32>
  // CHECK: ane.linear
  // CHECK: ane.const dense<3.41{{.*}}>
  // CHECK: } twin {
  func.func @mean(%in0: tensor<4x300xf32>) -> tensor<4x1xf32> {
    %0 = ane.island(%in0) : (tensor<4x300xf32>) -> (tensor<4x1xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x300xf32>):
      %1 = ane.reduce_mean %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x300xf32>) -> tensor<4x1xf32>
      ane.yield %1 : tensor<4x1xf32>
    }
    return %0 : tensor<4x1xf32>
  }

  // Short sums, and sums whose product would have too many channels, stay.
  // CHECK-LABEL: func.func @stays
  // CHECK: engine {
  // CHECK-NOT: ane.linear
  // CHECK: } twin {
  func.func @stays(%in0: tensor<4x255xf32>, %in1: tensor<2x40000xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
    %0:2 = ane.island(%in0, %in1) : (tensor<4x255xf32>, tensor<2x40000xf32>) -> (tensor<4xf32>, tensor<2xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x255xf32>, %y: tensor<2x40000xf32>):
      %1 = ane.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x255xf32>) -> tensor<4xf32>
      %2 = ane.reduce_sum %y {axes = array<i64: 1>} : (tensor<2x40000xf32>) -> tensor<2xf32>
      ane.yield %1, %2 : tensor<4xf32>, tensor<2xf32>
    }
    return %0#0, %0#1 : tensor<4xf32>, tensor<2xf32>
  }
}
