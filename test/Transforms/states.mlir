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
