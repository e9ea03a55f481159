// What the verifier of phase partitioned refuses.
// RUN: not ane-opt %s --split-input-file --ane-verify-phase=phase=partitioned 2>&1 | FileCheck %s

// CHECK: error: 'ane.relu' op computes in the plan: from phase partitioned on a plan only calls
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %0 = ane.relu %x : tensor<1x64xf32>
    return %0 : tensor<1x64xf32>
  }
}

// -----

// CHECK: error: 'func.func' op argument 0 has no ane.layout
// CHECK: error: 'func.func' op result 0 has no ane.layout
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @p {
    func.func @main(%x: tensor<1x1x1x64xf16>) -> tensor<1x1x1x64xf16> {
      %0 = ane.relu %x : tensor<1x1x1x64xf16>
      return %0 : tensor<1x1x1x64xf16>
    }
  }
}
