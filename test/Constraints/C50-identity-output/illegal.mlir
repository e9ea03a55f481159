// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C50 identity-output on h16 (in_memory, macOS 15): output 0: an identity, and the only output
// CHECK: note: remedy: identities are folded away before programs are formed
// CHECK: note: see 'ane-compile --explain=C50'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.relu %x : tensor<1x64x1x64xf16>
      %1 = ane.identity %0 : tensor<1x64x1x64xf16>
      return %1 : tensor<1x64x1x64xf16>
    }
  }
}
