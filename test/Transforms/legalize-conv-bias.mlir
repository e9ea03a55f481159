// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-conv-bias)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // CHECK-LABEL: func.func @conv
  // CHECK: engine {
  // CHECK: %[[C:.*]] = ane.conv %{{[a-z0-9]+}}, %{{[a-z0-9_]+}} {
  // CHECK: %[[B:.*]] = ane.reshape %{{.*}}shape = array<i64: 1, 2, 1, 1>}
  // CHECK: %[[S:.*]] = ane.add %[[C]], %[[B]]
  // CHECK: ane.yield %[[S]]
  // CHECK: } twin {
  // CHECK: ane.conv {{.*}} bias
  // CHECK-NOT: ane.add
  func.func @conv(%in0: tensor<1x3x8x8xf16>) -> (tensor<1x2x8x8xf16>) {
    %0 = ane.island(%in0) : (tensor<1x3x8x8xf16>) -> (tensor<1x2x8x8xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x3x8x8xf16>):
      %w = ane.const dense<1.0> : tensor<2x3x1x1xf16>
      %b = ane.const dense<[1.0, 2.0]> : tensor<2xf16>
      %1 = ane.conv %x, %w bias %b {dilations = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x3x8x8xf16>, tensor<2x3x1x1xf16>, tensor<2xf16>) -> tensor<1x2x8x8xf16>
      ane.yield %1 : tensor<1x2x8x8xf16>
    }
    return %0 : tensor<1x2x8x8xf16>
  }

  // CHECK-LABEL: func.func @none
  // CHECK-NOT: ane.add
  // CHECK: return
  func.func @none(%in0: tensor<1x3x8x8xf16>) -> (tensor<1x2x8x8xf16>) {
    %0 = ane.island(%in0) : (tensor<1x3x8x8xf16>) -> (tensor<1x2x8x8xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x3x8x8xf16>):
      %w = ane.const dense<1.0> : tensor<2x3x1x1xf16>
      %1 = ane.conv %x, %w {dilations = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x3x8x8xf16>, tensor<2x3x1x1xf16>) -> tensor<1x2x8x8xf16>
      ane.yield %1 : tensor<1x2x8x8xf16>
    }
    return %0 : tensor<1x2x8x8xf16>
  }
}
