// Where states are accessed, in each phase.
// RUN: ane-opt %s -split-input-file -verify-diagnostics --ane-verify-phase=phase=partitioned

ane.state @s : tensor<4xf32>
func.func @swapped(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{it is written here}}
  ane.write_state @s, %x : tensor<4xf32>
  // expected-error @+1 {{reads state 's' behind a write}}
  %old = ane.read_state @s : tensor<4xf32>
  return %old : tensor<4xf32>
}

// -----

ane.state @s : tensor<4xf32>
func.func @plan() -> tensor<4xf32> {
  %0 = call @host() : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @host() -> tensor<4xf32> {
  // expected-error @+1 {{can't stand here: from phase canonical on a plan accesses states, and hands their values on}}
  %old = ane.read_state @s : tensor<4xf32>
  return %old : tensor<4xf32>
}
