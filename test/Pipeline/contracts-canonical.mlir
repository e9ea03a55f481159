// What the verifiers of the phases refuse.
// RUN: not ane-opt %s --split-input-file --ane-verify-phase=phase=canonical 2>&1 | FileCheck %s

// CHECK: error: 'ane.island' op can't stand in phase canonical
// CHECK: error: 'func.call' op can't stand in phase canonical
// CHECK: error: 'ane.const' op holds its data in the IR: large constants are #ane.weight from phase canonical on
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = ane.island(%x) : (tensor<4xf32>) -> tensor<4xf32> engine {
    } twin {
    ^bb0(%a: tensor<4xf32>):
      %1 = ane.relu %a : tensor<4xf32>
      ane.yield %1 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func private @f(tensor<4xf32>) -> tensor<4xf32>
  func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @data(%x: tensor<4xf32>) -> tensor<4xf32> {
    %c = ane.const dense_resource<blob> : tensor<4xf32>
    %0 = ane.add %x, %c : tensor<4xf32>, tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

{-#
  dialect_resources: { builtin: { blob: "0x040000000000803F000000400000404000008040" } }
#-}
