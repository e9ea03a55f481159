// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-linear)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // CHECK-LABEL: func.func @constant_weight
  // CHECK: ^bb0(%[[X:.*]]: tensor<1x4x64xf16>)
  // CHECK: %[[C:.*]] = ane.relayout %[[X]] expand [4, 64] perm [1, 0]{{.*}} : tensor<1x4x64xf16> -> tensor<1x64x1x4xf16>
  // CHECK: %[[W:.*]] = ane.reshape %{{.*}}shape = array<i64: 8, 64, 1, 1>}
  // CHECK: %[[Y:.*]] = ane.conv %[[C]], %[[W]] {
  // CHECK: %[[B:.*]] = ane.reshape %{{.*}}shape = array<i64: 1, 8, 1, 1>}
  // CHECK: %[[S:.*]] = ane.add %[[Y]], %[[B]]
  // CHECK: %[[R:.*]] = ane.relayout %[[S]] expand [8, 4] perm [1, 0]{{.*}} : tensor<1x8x1x4xf16> -> tensor<1x4x8xf16>
  // CHECK: ane.yield %[[R]]
  // CHECK: } twin {
  // CHECK: ane.linear
  func.func @constant_weight(%in0: tensor<1x4x64xf16>) -> (tensor<1x4x8xf16>) {
    %0 = ane.island(%in0) : (tensor<1x4x64xf16>) -> (tensor<1x4x8xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x4x64xf16>):
      %w = ane.const #ane.weight<"m.bin", 0, 1024> : tensor<8x64xf16>
      %b = ane.const #ane.weight<"m.bin", 1024, 16> : tensor<8xf16>
      %1 = ane.linear %x, %w bias %b : (tensor<1x4x64xf16>, tensor<8x64xf16>, tensor<8xf16>) -> tensor<1x4x8xf16>
      ane.yield %1 : tensor<1x4x8xf16>
    }
    return %0 : tensor<1x4x8xf16>
  }

  // A weight that is known at run time only can't be a convolution's.
  // CHECK-LABEL: func.func @run_time_weight
  // CHECK: engine {
  // CHECK-NOT: ane.conv
  // CHECK: ane.matmul %{{.*}} {{[{].*}}transpose_y = true
  // CHECK: } twin {
  // CHECK: ane.linear
  func.func @run_time_weight(%in0: tensor<4x64xf16>, %in1: tensor<8x64xf16>) -> (tensor<4x8xf16>) {
    %0 = ane.island(%in0, %in1) : (tensor<4x64xf16>, tensor<8x64xf16>) -> (tensor<4x8xf16>) engine {
    } twin {
    ^bb0(%x: tensor<4x64xf16>, %w: tensor<8x64xf16>):
      %1 = ane.linear %x, %w : (tensor<4x64xf16>, tensor<8x64xf16>) -> tensor<4x8xf16>
      ane.yield %1 : tensor<4x8xf16>
    }
    return %0 : tensor<4x8xf16>
  }
}
