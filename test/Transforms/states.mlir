// Whatever moves, states are read first and written last; what can't be kept in that order is refused.
// RUN: ane-opt %s --ane-form-islands -split-input-file -verify-diagnostics | FileCheck %s

// `relu x` is on a level behind the CPU's op, and the write is not left behind.
// CHECK-LABEL: func.func @levels
// CHECK-NEXT: %[[OLD:.*]] = ane.read_state @s
// CHECK-NEXT: %[[H:.*]] = ane.erf %[[OLD]] {ane.host
// CHECK-NEXT: %[[I:.*]]:2 = ane.island(
// CHECK: ane.write_state @s, %[[I]]#
// CHECK-NEXT: ane.write_state @t, %[[H]]
// CHECK-NEXT: return
ane.state @s : tensor<4xf32>
ane.state @t : tensor<4xf32>
func.func @levels(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ane.relu %x : tensor<4xf32>
  %old = ane.read_state @s : tensor<4xf32>
  ane.write_state @s, %r : tensor<4xf32>
  %h = ane.erf %old {ane.host = #ane.host<"C99", "a test">} : tensor<4xf32>
  ane.write_state @t, %h : tensor<4xf32>
  %y = ane.add %h, %r : tensor<4xf32>, tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

ane.state @s : tensor<4xf32>
func.func @read_behind_write(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ane.relu %x : tensor<4xf32>
  // expected-note @+1 {{it is written here}}
  ane.write_state @s, %r : tensor<4xf32>
  // expected-error @+1 {{reads state 's' behind a write: read it before, or use the value that was written}}
  %old = ane.read_state @s : tensor<4xf32>
  return %old : tensor<4xf32>
}

// -----

ane.state @s : tensor<4xf32>
func.func @two_writes(%x: tensor<4xf32>) {
  // expected-note @+1 {{it is written here}}
  ane.write_state @s, %x : tensor<4xf32>
  // expected-error @+1 {{writes state 's' once more: write its last value only}}
  ane.write_state @s, %x : tensor<4xf32>
  return
}

// -----

// A read stands before writes and updates of other states, whatever stood behind it.
// CHECK-LABEL: func.func @other_states
// CHECK-NEXT: %[[S:.*]] = ane.read_state @s
// CHECK-NEXT: %[[T:.*]] = ane.read_state @t
// CHECK-NEXT: ane.update_state @u
// CHECK-NEXT: %[[I:.*]] = ane.island(%[[S]], %[[T]])
// CHECK: ane.write_state @s, %[[I]]
// CHECK-NEXT: return
ane.state @s : tensor<4xf32>
ane.state @t : tensor<4xf32>
ane.state @u : tensor<4x8xf32>
func.func @other_states(%x: tensor<1x8xf32>, %at: tensor<i64>) {
  %s = ane.read_state @s : tensor<4xf32>
  %u = ane.update_state @u, %x at %at axis 0 : (tensor<1x8xf32>, tensor<i64>) -> tensor<4x8xf32>
  %y = ane.relu %s : tensor<4xf32>
  %t = ane.read_state @t : tensor<4xf32>
  %z = ane.add %y, %t : tensor<4xf32>, tensor<4xf32>
  ane.write_state @s, %z : tensor<4xf32>
  return
}

// -----

// The update waits for the last reader of the old value, which is on a level behind the window.
// CHECK-LABEL: func.func @update
// CHECK: %[[OLD:.*]] = ane.read_state @s
// CHECK: %[[H:.*]] = ane.erf %[[OLD]] {ane.host
// CHECK-NEXT: %[[I:.*]]:2 = ane.island(
// CHECK: %[[NEW:.*]] = ane.update_state @s, %{{.*}} at %{{.*}} axis 0
// CHECK-NEXT: ane.island(%[[NEW]]
ane.state @s : tensor<4x8xf32>
func.func @update(%x: tensor<1x8xf32>, %at: tensor<i64>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %old = ane.read_state @s : tensor<4x8xf32>
  %h = ane.erf %old {ane.host = #ane.host<"C99", "a test">} : tensor<4x8xf32>
  %sum = ane.add %h, %old : tensor<4x8xf32>, tensor<4x8xf32>
  %window = ane.relu %x : tensor<1x8xf32>
  %new = ane.update_state @s, %window at %at axis 0 : (tensor<1x8xf32>, tensor<i64>) -> tensor<4x8xf32>
  %y = ane.relu %new : tensor<4x8xf32>
  return %sum, %y : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

ane.state @s : tensor<4x8xf32>
func.func @old_behind_update(%x: tensor<1x8xf32>, %at: tensor<i64>) -> tensor<4x8xf32> {
  %old = ane.read_state @s : tensor<4x8xf32>
  // expected-note @+1 {{it is updated here}}
  %new = ane.update_state @s, %x at %at axis 0 : (tensor<1x8xf32>, tensor<i64>) -> tensor<4x8xf32>
  // expected-error @+1 {{uses the old value of state 's' behind its update in place: use it before, or the new one}}
  %y = ane.add %new, %old : tensor<4x8xf32>, tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

ane.state @s : tensor<4x8xf32>
ane.state @t : tensor<4x8xf32>
func.func @old_at_end(%x: tensor<1x8xf32>, %at: tensor<i64>) {
  %old = ane.read_state @s : tensor<4x8xf32>
  // expected-error @+1 {{uses the old value of state 's' that is updated in place: use the new one}}
  ane.write_state @t, %old : tensor<4x8xf32>
  // expected-note @+1 {{it is updated here}}
  %new = ane.update_state @s, %x at %at axis 0 : (tensor<1x8xf32>, tensor<i64>) -> tensor<4x8xf32>
  return
}

// -----

ane.state @s : tensor<4x8xf32>
func.func @updated_and_written(%x: tensor<1x8xf32>, %y: tensor<4x8xf32>, %at: tensor<i64>) {
  // expected-note @+1 {{it is updated here}}
  %new = ane.update_state @s, %x at %at axis 0 : (tensor<1x8xf32>, tensor<i64>) -> tensor<4x8xf32>
  // expected-error @+1 {{writes state 's' once more: write its last value only}}
  ane.write_state @s, %y : tensor<4x8xf32>
  return
}
