// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-tile)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // CHECK-LABEL: func.func @broadcast
  // CHECK: engine {
  // CHECK: %[[O:.*]] = ane.const dense<1.000000e+00> : tensor<1x1x5x1xf16>
  // CHECK: ane.mul %{{.*}}, %[[O]]
  // CHECK-NEXT: ane.yield
  func.func @broadcast(%in0: tensor<1x4x1x8xf16>) -> tensor<1x4x5x8xf16> {
    %0 = ane.island(%in0) : (tensor<1x4x1x8xf16>) -> (tensor<1x4x5x8xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x4x1x8xf16>):
      %r = ane.tile %x {reps = array<i64: 1, 1, 5, 1>} : (tensor<1x4x1x8xf16>) -> tensor<1x4x5x8xf16>
      ane.yield %r : tensor<1x4x5x8xf16>
    }
    return %0 : tensor<1x4x5x8xf16>
  }

  // CHECK-LABEL: func.func @repeat
  // CHECK: engine {
  // CHECK: %[[X:.*]] = ane.reshape %{{.*}}shape = array<i64: 1, 4, 8>}
  // CHECK: ane.mul %[[X]], %{{.*}} : tensor<1x4x8xf16>, tensor<3x1x1xf16>
  // CHECK: ane.reshape %{{.*}}shape = array<i64: 12, 8>}
  func.func @repeat(%in0: tensor<4x8xf16>) -> tensor<12x8xf16> {
    %0 = ane.island(%in0) : (tensor<4x8xf16>) -> (tensor<12x8xf16>) engine {
    } twin {
    ^bb0(%x: tensor<4x8xf16>):
      %r = ane.tile %x {reps = array<i64: 3, 1>} : (tensor<4x8xf16>) -> tensor<12x8xf16>
      ane.yield %r : tensor<12x8xf16>
    }
    return %0 : tensor<12x8xf16>
  }

  // CHECK-LABEL: func.func @integers
  // CHECK: engine {
  // CHECK: ane.tile
  // CHECK: } twin {
  func.func @integers(%in0: tensor<4x8xi32>) -> tensor<12x8xi32> {
    %0 = ane.island(%in0) : (tensor<4x8xi32>) -> (tensor<12x8xi32>) engine {
    } twin {
    ^bb0(%x: tensor<4x8xi32>):
      %r = ane.tile %x {reps = array<i64: 3, 1>} : (tensor<4x8xi32>) -> tensor<12x8xi32>
      ane.yield %r : tensor<12x8xi32>
    }
    return %0 : tensor<12x8xi32>
  }
}
