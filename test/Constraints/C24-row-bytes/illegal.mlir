// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C24 row-bytes on h16 (in_memory, macOS 15): row of input 0: 66 bytes, must be a multiple of 64
// CHECK: note: remedy: --ane-legalize-io; another axis is made the last one
// CHECK: note: see 'ane-compile --explain=C24'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x33xf16>) -> tensor<1x64x1x33xf16> {
      %0 = ane.relu %x : tensor<1x64x1x33xf16>
      return %0 : tensor<1x64x1x33xf16>
    }
  }
}
