// MLIR's own passes keep accesses of states in order, as their effects say.
// RUN: ane-opt %s --cse --canonicalize | FileCheck %s

ane.state @a : tensor<4xf16>
ane.state @b : tensor<4xf16>
ane.state @c : tensor<4x8xf16>

// Nothing changes the state between these.
// CHECK-LABEL: func.func @reads
// CHECK-NEXT: %[[A:.*]] = ane.read_state @a
// CHECK-NEXT: %[[B:.*]] = ane.read_state @b
// CHECK-NEXT: return %[[A]], %[[A]], %[[B]]
func.func @reads() -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) {
  %0 = ane.read_state @a : tensor<4xf16>
  %1 = ane.read_state @a : tensor<4xf16>
  %2 = ane.read_state @b : tensor<4xf16>
  return %0, %1, %2 : tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
}

// CHECK-LABEL: func.func @write_between
// CHECK-NEXT: %[[OLD:.*]] = ane.read_state @a
// CHECK-NEXT: ane.write_state @a
// CHECK-NEXT: %[[NEW:.*]] = ane.read_state @a
// CHECK-NEXT: return %[[OLD]], %[[NEW]]
func.func @write_between(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %0 = ane.read_state @a : tensor<4xf16>
  ane.write_state @a, %x : tensor<4xf16>
  %1 = ane.read_state @a : tensor<4xf16>
  return %0, %1 : tensor<4xf16>, tensor<4xf16>
}

// Nobody reads what the first two update, but the state keeps it.
// CHECK-LABEL: func.func @updates
// CHECK-NEXT: %[[OLD:.*]] = ane.read_state @c
// CHECK-NEXT: ane.update_state @c
// CHECK-NEXT: ane.update_state @c
// CHECK-NEXT: %[[NEW:.*]] = ane.read_state @c
// CHECK-NEXT: return %[[OLD]], %[[NEW]]
func.func @updates(%x: tensor<1x8xf16>, %at: tensor<i64>) -> (tensor<4x8xf16>, tensor<4x8xf16>) {
  %old = ane.read_state @c : tensor<4x8xf16>
  %0 = ane.update_state @c, %x at %at axis 0 : (tensor<1x8xf16>, tensor<i64>) -> tensor<4x8xf16>
  %1 = ane.update_state @c, %x at %at axis 0 : (tensor<1x8xf16>, tensor<i64>) -> tensor<4x8xf16>
  %new = ane.read_state @c : tensor<4x8xf16>
  return %old, %new : tensor<4x8xf16>, tensor<4x8xf16>
}

// A read that nobody uses goes, a write never.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT: ane.write_state @a
// CHECK-NEXT: return
func.func @unused(%x: tensor<4xf16>) {
  %0 = ane.read_state @b : tensor<4xf16>
  ane.write_state @a, %x : tensor<4xf16>
  return
}
