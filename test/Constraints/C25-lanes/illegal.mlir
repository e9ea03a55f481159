// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C25" 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C25 lanes on h16 (in_memory, macOS 15): last axis of input 0: 31, must be at least 32
// CHECK: note: remedy: --ane-legalize-io; the last axis is padded
// CHECK: note: see 'ane-compile --explain=C25'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x31xf16>) -> tensor<1x64x1x31xf16> {
      %0 = ane.relu %x : tensor<1x64x1x31xf16>
      return %0 : tensor<1x64x1x31xf16>
    }
  }
}
