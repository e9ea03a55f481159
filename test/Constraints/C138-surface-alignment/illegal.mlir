// RUN: not ane-opt %s --ane-verify-legal="emittable=true only=C138" 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C138 surface-alignment on h16 (in_memory, macOS 15): surface of input 'in00': 49216 bytes, must be a multiple of 128
// CHECK: note: remedy: --ane-assign-surfaces; allocations are rounded up, which is harmless where the rule is false
// CHECK: note: see 'ane-compile --explain=C138'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x0: tensor<1x64x1x64xf16> {ane.name = "in00", ane.surface = #ane.surface<row_stride = 128, bytes = 49216>}) -> (tensor<1x64x1x64xf16> {ane.name = "out00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) {
      %0 = ane.exp %x0 : tensor<1x64x1x64xf16>
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
