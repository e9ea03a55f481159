// What the verifier of phase input refuses.
// RUN: not ane-opt %s --split-input-file --ane-verify-phase=phase=input 2>&1 | FileCheck %s

// CHECK: error: has no public function: nothing to compile
module {
  func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// CHECK: error: 'func.func' op has the type 'tensor<?xf32>' at its border
func.func @dynamic(%x: tensor<?xf32>) -> tensor<4xf32> {
  %0 = ane.const dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: error: 'func.call' op belongs to a later phase: modules of phase input or canonical can be compiled
module {
  func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32>
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
