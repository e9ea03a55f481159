// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-concat)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // Slices of the weight; the bias once.
  // CHECK-LABEL: func.func @linear
  // CHECK: engine {
  // CHECK: %[[A:.*]] = ane.linear %{{.*}}, %{{.*}} bias
  // CHECK: %[[B:.*]] = ane.linear %{{.*}}, %{{[a-z0-9_]+}} {{.*}}:
  // CHECK: %[[S:.*]] = ane.add %[[A]], %[[B]]
  // CHECK-NEXT: ane.yield %[[S]]
  func.func @linear(%in0: tensor<1x8x4xf16>, %in1: tensor<1x8x6xf16>) -> tensor<1x8x5xf16> {
    %0 = ane.island(%in0, %in1) : (tensor<1x8x4xf16>, tensor<1x8x6xf16>) -> (tensor<1x8x5xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x8x4xf16>, %y: tensor<1x8x6xf16>):
      %w = ane.const dense<1.0> : tensor<5x10xf16>
      %b = ane.const dense<1.0> : tensor<5xf16>
      %1 = ane.concat %x, %y {axis = 2 : i64} : (tensor<1x8x4xf16>, tensor<1x8x6xf16>) -> tensor<1x8x10xf16>
      %r = ane.linear %1, %w bias %b : (tensor<1x8x10xf16>, tensor<5x10xf16>, tensor<5xf16>) -> tensor<1x8x5xf16>
      ane.yield %r : tensor<1x8x5xf16>
    }
    return %0 : tensor<1x8x5xf16>
  }

  // Matrices of zeros and halves move channels.
  // CHECK-LABEL: func.func @channels
  // CHECK: engine {
  // CHECK: %[[A:.*]] = ane.conv %{{[a-z0-9]+}}, %{{.*}} : (tensor<1x4x3x3xf16>, tensor<10x4x1x1xf16>)
  // CHECK: %[[B:.*]] = ane.conv %{{[a-z0-9]+}}, %{{.*}} : (tensor<1x6x3x3xf16>, tensor<10x6x1x1xf16>)
  // CHECK: %[[S:.*]] = ane.add %[[A]], %[[B]]
  // CHECK: ane.mul %[[S]], %{{.*}}
  func.func @channels(%in0: tensor<1x4x3x3xf16>, %in1: tensor<1x6x3x3xf16>) -> tensor<1x10x3x3xf16> {
    %0 = ane.island(%in0, %in1) : (tensor<1x4x3x3xf16>, tensor<1x6x3x3xf16>) -> (tensor<1x10x3x3xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x4x3x3xf16>, %y: tensor<1x6x3x3xf16>):
      %r = ane.concat %x, %y {axis = 1 : i64} : (tensor<1x4x3x3xf16>, tensor<1x6x3x3xf16>) -> tensor<1x10x3x3xf16>
      ane.yield %r : tensor<1x10x3x3xf16>
    }
    return %0 : tensor<1x10x3x3xf16>
  }

  // Constant parts are one constant among zeros.
  // CHECK-LABEL: func.func @tokens
  // CHECK: engine {
  // CHECK: %[[P:.*]] = ane.pad %{{.*}}pad = array<i64: 1, 0>} : (tensor<1x8x1x4xf16>)
  // CHECK: ane.add %[[P]]
  func.func @tokens(%in0: tensor<1x4x8xf16>) -> tensor<1x5x8xf16> {
    %0 = ane.island(%in0) : (tensor<1x4x8xf16>) -> (tensor<1x5x8xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x4x8xf16>):
      %c = ane.const dense<2.0> : tensor<1x1x8xf16>
      %r = ane.concat %c, %x {axis = 1 : i64} : (tensor<1x1x8xf16>, tensor<1x4x8xf16>) -> tensor<1x5x8xf16>
      ane.yield %r : tensor<1x5x8xf16>
    }
    return %0 : tensor<1x5x8xf16>
  }

  // Left for the check to find.
  // CHECK-LABEL: func.func @integers
  // CHECK: engine {
  // CHECK: ane.concat
  func.func @integers(%in0: tensor<4xi32>, %in1: tensor<4xi32>) -> tensor<8xi32> {
    %0 = ane.island(%in0, %in1) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<8xi32>) engine {
    } twin {
    ^bb0(%x: tensor<4xi32>, %y: tensor<4xi32>):
      %r = ane.concat %x, %y {axis = 0 : i64} : (tensor<4xi32>, tensor<4xi32>) -> tensor<8xi32>
      ane.yield %r : tensor<8xi32>
    }
    return %0 : tensor<8xi32>
  }

  // Left, too: matrices of 2^28 zeros and halves together are no remedy.
  // CHECK-LABEL: func.func @large
  // CHECK: engine {
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: ane.concat
  func.func @large(%in0: tensor<1x8192x1x1xf16>, %in1: tensor<1x8192x1x1xf16>) -> tensor<1x16384x1x1xf16> {
    %0 = ane.island(%in0, %in1) : (tensor<1x8192x1x1xf16>, tensor<1x8192x1x1xf16>) -> (tensor<1x16384x1x1xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x8192x1x1xf16>, %y: tensor<1x8192x1x1xf16>):
      %r = ane.concat %x, %y {axis = 1 : i64} : (tensor<1x8192x1x1xf16>, tensor<1x8192x1x1xf16>) -> tensor<1x16384x1x1xf16>
      ane.yield %r : tensor<1x16384x1x1xf16>
    }
    return %0 : tensor<1x16384x1x1xf16>
  }
}
