// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C51 pass-through on h16 (in_memory, macOS 15): output 1: an input, not computed here
// CHECK: note: remedy: --ane-legalize-io; an argument that is returned is multiplied by 1
// CHECK: note: see 'ane-compile --explain=C51'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> (tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>) {
      %0 = ane.relu %x : tensor<1x64x1x64xf16>
      return %0, %x : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
    }
  }
}
