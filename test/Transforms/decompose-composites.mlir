// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-decompose-composites)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // Engine body only: the twin keeps the composite.
  // CHECK-LABEL: func.func @silu
  // CHECK: ^bb0(%[[X:.*]]: tensor<4x64xf32>)
  // CHECK-NOT: ane.silu
  // CHECK: %[[S:.*]] = ane.sigmoid %[[X]]
  // CHECK: ane.mul {{.*}}%[[S]]
  // CHECK-NOT: ane.silu
  // CHECK: } twin {
  // CHECK: ane.silu
  func.func @silu(%in0: tensor<4x64xf32>) -> (tensor<4x64xf32>) {
    %0 = ane.island(%in0) : (tensor<4x64xf32>) -> (tensor<4x64xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x64xf32>):
      %1 = ane.silu %x : tensor<4x64xf32>
      ane.yield %1 : tensor<4x64xf32>
    }
    return %0 : tensor<4x64xf32>
  }

  // linear and relayout have passes of their own.
  // CHECK-LABEL: func.func @others_decide
  // CHECK: ane.linear
  // CHECK: ane.relayout
  // CHECK: } twin {
  func.func @others_decide(%in0: tensor<4x64xf32>) -> (tensor<4x2xf32>) {
    %0 = ane.island(%in0) : (tensor<4x64xf32>) -> (tensor<4x2xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x64xf32>):
      %w = ane.const dense<1.0> : tensor<2x64xf32>
      %1 = ane.linear %x, %w : (tensor<4x64xf32>, tensor<2x64xf32>) -> tensor<4x2xf32>
      %2 = ane.relayout %1 expand [4, 2] perm [1, 0] : tensor<4x2xf32> -> tensor<4x2xf32>
      ane.yield %2 : tensor<4x2xf32>
    }
    return %0 : tensor<4x2xf32>
  }

  // What a constant is computed by stays: in halves its epsilon would be 0.
  // CHECK-LABEL: func.func @constant
  // CHECK: ane.blob
  // CHECK: ane.layer_norm
  // CHECK: ane.yield
  func.func @constant(%in0: tensor<4xf16>) -> tensor<4xf16> {
    %0 = ane.island(%in0) : (tensor<4xf16>) -> tensor<4xf16> engine {
    } twin {
    ^bb0(%x: tensor<4xf16>):
      %b = ane.blob "" at 64 : tensor<4xf16> {
        %c = ane.const dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf16>
        %n = ane.layer_norm %c {axes = array<i64: 0>, epsilon = 1.0e-12} : (tensor<4xf16>) -> tensor<4xf16>
        ane.yield %n : tensor<4xf16>
      }
      %1 = ane.add %x, %b : tensor<4xf16>, tensor<4xf16>
      ane.yield %1 : tensor<4xf16>
    }
    return %0 : tensor<4xf16>
  }
}
