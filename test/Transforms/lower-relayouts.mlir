// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-lower-relayouts)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // Atoms that are the dimensions need no reshape.
  // CHECK-LABEL: func.func @direct
  // CHECK: engine {
  // CHECK: %[[T:.*]] = ane.transpose %{{.*}}perm = array<i64: 0, 2, 1>}
  // CHECK-NEXT: ane.yield %[[T]]
  func.func @direct(%in0: tensor<1x8x4xf16>) -> (tensor<1x4x8xf16>) {
    %0 = ane.island(%in0) : (tensor<1x8x4xf16>) -> (tensor<1x4x8xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x8x4xf16>):
      %1 = ane.relayout %x expand [8, 4] perm [1, 0] : tensor<1x8x4xf16> -> tensor<1x4x8xf16>
      ane.yield %1 : tensor<1x4x8xf16>
    }
    return %0 : tensor<1x4x8xf16>
  }

  // CHECK-LABEL: func.func @split
  // CHECK: engine {
  // CHECK: %[[A:.*]] = ane.reshape %{{.*}}shape = array<i64: 4, 2, 3>}
  // CHECK-NEXT: %[[T:.*]] = ane.transpose %[[A]] {{.*}}perm = array<i64: 1, 0, 2>}
  // CHECK-NEXT: %[[B:.*]] = ane.reshape %[[T]] {{.*}}shape = array<i64: 4, 6>}
  // CHECK-NEXT: ane.yield %[[B]]
  func.func @split(%in0: tensor<4x6xf16>) -> (tensor<4x6xf16>) {
    %0 = ane.island(%in0) : (tensor<4x6xf16>) -> (tensor<4x6xf16>) engine {
    } twin {
    ^bb0(%x: tensor<4x6xf16>):
      %1 = ane.relayout %x expand [4, 2, 3] perm [1, 0, 2] : tensor<4x6xf16> -> tensor<4x6xf16>
      ane.yield %1 : tensor<4x6xf16>
    }
    return %0 : tensor<4x6xf16>
  }

  // CHECK-LABEL: func.func @shape_only
  // CHECK: engine {
  // CHECK-NOT: ane.transpose
  // CHECK: ane.reshape
  // CHECK: } twin {
  // CHECK: ane.relayout
  func.func @shape_only(%in0: tensor<4x6xf16>) -> (tensor<24xf16>) {
    %0 = ane.island(%in0) : (tensor<4x6xf16>) -> (tensor<24xf16>) engine {
    } twin {
    ^bb0(%x: tensor<4x6xf16>):
      %1 = ane.relayout %x expand [24] perm [0] : tensor<4x6xf16> -> tensor<24xf16>
      ane.yield %1 : tensor<24xf16>
    }
    return %0 : tensor<24xf16>
  }

  // More than four atoms: blocks change places.
  // CHECK-LABEL: func.func @many
  // CHECK: engine {
  // CHECK: ane.reshape %{{.*}}shape = array<i64: 2, 3, 4, 30>}
  // CHECK-NEXT: ane.transpose %{{.*}}perm = array<i64: 0, 2, 1, 3>}
  // CHECK-NOT: ane.transpose
  // CHECK: } twin {
  func.func @many(%in0: tensor<2x3x4x5x6xf16>) -> (tensor<8x15x6xf16>) {
    %0 = ane.island(%in0) : (tensor<2x3x4x5x6xf16>) -> (tensor<8x15x6xf16>) engine {
    } twin {
    ^bb0(%x: tensor<2x3x4x5x6xf16>):
      %1 = ane.relayout %x expand [2, 3, 4, 5, 6] perm [0, 2, 1, 3, 4] : tensor<2x3x4x5x6xf16> -> tensor<8x15x6xf16>
      ane.yield %1 : tensor<8x15x6xf16>
    }
    return %0 : tensor<8x15x6xf16>
  }
}
