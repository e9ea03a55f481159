// RUN: not ane-opt %s --split-input-file --ane-verify-legal="emittable=true only=C14" 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C14 dead-names on h16 (in_memory, macOS 15): 'ane.exp': its value is not used
// CHECK: note: remedy: dead code is removed
// CHECK: note: see 'ane-compile --explain=C14'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.relu %x : tensor<1x64x1x64xf16>
      %1 = ane.exp %x : tensor<1x64x1x64xf16>
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}

// -----

// CHECK: error: procedure '@main_0::@main' violates C14 dead-names on h16 (in_memory, macOS 15): output 1: the value is returned twice

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> (tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>) {
      %0 = ane.relu %x : tensor<1x64x1x64xf16>
      return %0, %0 : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
    }
  }
}
