// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-layout)))' | FileCheck %s

// The argument is declared channels first, the pair of transposes is gone, the result is read channels first.
// CHECK-LABEL: func.func @cancel
// CHECK: ane.island
// CHECK-SAME: input_layouts = [#ane.layout<expand = [128, 64], perm = [1, 0]>]
// CHECK-SAME: output_layouts = [#ane.layout<expand = [128, 64], perm = [1, 0]>]
// CHECK-SAME: engine {
// CHECK: ^bb0(%[[X:.*]]: tensor<1x64x1x128xf16>)
// CHECK-NEXT: %[[A:.*]] = ane.relu %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.tanh %[[A]] : tensor<1x64x1x128xf16>
// CHECK-NEXT: ane.yield %[[B]]
// CHECK-NEXT: } twin
func.func @cancel(%x: tensor<1x128x64xf16>) -> tensor<1x128x64xf16> {
  %0 = ane.island(%x) : (tensor<1x128x64xf16>) -> tensor<1x128x64xf16> engine {
  } twin {
  ^bb0(%a: tensor<1x128x64xf16>):
    %1 = ane.relu %a : tensor<1x128x64xf16>
    %2 = ane.relayout %1 expand [128, 64] perm [1, 0] : tensor<1x128x64xf16> -> tensor<1x64x1x128xf16>
    %3 = ane.tanh %2 : tensor<1x64x1x128xf16>
    %4 = ane.relayout %3 expand [64, 128] perm [1, 0] : tensor<1x64x1x128xf16> -> tensor<1x128x64xf16>
    ane.yield %4 : tensor<1x128x64xf16>
  }
  return %0 : tensor<1x128x64xf16>
}

// Attention heads: a split of the channel axis needs no transpose when the product takes the operand transposed.
// CHECK-LABEL: func.func @heads
// CHECK: engine {
// CHECK: ^bb0(%[[Q:.*]]: tensor<1x64x1x128xf16>, %[[K:.*]]: tensor<1x64x1x128xf16>)
// CHECK-DAG: %[[QH:.*]] = ane.relayout %[[Q]] expand [8192] perm [0] : tensor<1x64x1x128xf16> -> tensor<1x4x16x128xf16>
// CHECK-DAG: %[[KH:.*]] = ane.relayout %[[K]] expand [8192] perm [0] : tensor<1x64x1x128xf16> -> tensor<1x4x16x128xf16>
// CHECK: ane.matmul %[[QH]], %[[KH]] {transpose_x = true}
// CHECK: } twin
func.func @heads(%q: tensor<1x64x1x128xf16>, %k: tensor<1x64x1x128xf16>) -> tensor<1x4x128x128xf16> {
  %0 = ane.island(%q, %k) : (tensor<1x64x1x128xf16>, tensor<1x64x1x128xf16>) -> tensor<1x4x128x128xf16> engine {
  } twin {
  ^bb0(%a: tensor<1x64x1x128xf16>, %b: tensor<1x64x1x128xf16>):
    %1 = ane.relayout %a expand [64, 128] perm [1, 0] : tensor<1x64x1x128xf16> -> tensor<1x128x4x16xf16>
    %2 = ane.transpose %1 {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x128x4x16xf16>) -> tensor<1x4x128x16xf16>
    %3 = ane.relayout %b expand [64, 128] perm [1, 0] : tensor<1x64x1x128xf16> -> tensor<1x128x4x16xf16>
    %4 = ane.transpose %3 {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x128x4x16xf16>) -> tensor<1x4x16x128xf16>
    %5 = ane.matmul %2, %4 : (tensor<1x4x128x16xf16>, tensor<1x4x16x128xf16>) -> tensor<1x4x128x128xf16>
    ane.yield %5 : tensor<1x4x128x128xf16>
  }
  return %0 : tensor<1x4x128x128xf16>
}
