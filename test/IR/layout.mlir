// Relayouts that move nothing fold.
// RUN: ane-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// A transpose of sizes of 1 alone moves nothing; a change of shape alone stays, because the type changes.
// FOLD-LABEL: func.func @fold
// FOLD-SAME: (%[[X:.*]]: tensor<1x8x1x4xf16>)
// FOLD-NEXT: %[[R:.*]] = ane.relayout %[[X]] expand [32] perm [0] : tensor<1x8x1x4xf16> -> tensor<8x4xf16>
// FOLD-NEXT: %[[T:.*]] = ane.relayout %[[X]] expand [8, 4] perm [1, 0] : tensor<1x8x1x4xf16> -> tensor<1x8x1x4xf16>
// FOLD-NEXT: return %[[X]], %[[R]], %[[T]]
func.func @fold(%x: tensor<1x8x1x4xf16>) -> (tensor<1x8x1x4xf16>, tensor<8x4xf16>, tensor<1x8x1x4xf16>) {
  %0 = ane.relayout %x expand [1, 8, 1, 4] perm [2, 1, 0, 3] : tensor<1x8x1x4xf16> -> tensor<1x8x1x4xf16>
  %1 = ane.relayout %x expand [32] perm [0] : tensor<1x8x1x4xf16> -> tensor<8x4xf16>
  %2 = ane.relayout %x expand [8, 4] perm [1, 0] : tensor<1x8x1x4xf16> -> tensor<1x8x1x4xf16>
  return %0, %1, %2 : tensor<1x8x1x4xf16>, tensor<8x4xf16>, tensor<1x8x1x4xf16>
}
