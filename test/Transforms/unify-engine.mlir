// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-unify-engine)))' | FileCheck %s

// One op of two that compute the same, from both; the twin keeps its two.
// CHECK-LABEL: func.func @twice
// CHECK: engine {
// CHECK: %[[R:.*]] = ane.relu %{{.*}} {ane.from = array<i64: 0, 2>}
// CHECK-NOT: ane.relu
// CHECK: ane.mul %[[R]], %[[R]] {ane.from = array<i64: 3>}
// CHECK: } twin {
// CHECK-COUNT-2: ane.relu
func.func @twice(%in: tensor<64xf16>) -> tensor<64xf16> {
  %0 = ane.island(%in) : (tensor<64xf16>) -> tensor<64xf16> engine {
  } twin {
  ^bb0(%x: tensor<64xf16>):
    %1 = ane.relu %x : tensor<64xf16>
    %c = ane.const dense<1.0> : tensor<f16>
    %2 = ane.relu %x : tensor<64xf16>
    %3 = ane.mul %1, %2 : tensor<64xf16>, tensor<64xf16>
    ane.yield %3 : tensor<64xf16>
  }
  return %0 : tensor<64xf16>
}
