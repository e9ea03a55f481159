// RUN: not ane-opt %s --split-input-file --ane-verify-legal="emittable=true" 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C02 output-sizes on h16 (in_memory, macOS 15): surface of output 'out01': 65536 bytes, must be the 49152 of output 'out00'
// CHECK: note: remedy: --ane-assign-surfaces; every allocation is padded to the largest
// CHECK: note: see 'ane-compile --explain=C02'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x0: tensor<1x64x1x64xf16> {ane.name = "in00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) -> (tensor<1x64x1x64xf16> {ane.name = "out00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}, tensor<1x64x1x64xf16> {ane.name = "out01", ane.surface = #ane.surface<row_stride = 128, bytes = 65536>}) {
      %r0 = ane.relu %x0 : tensor<1x64x1x64xf16>
      %r1 = ane.exp %x0 : tensor<1x64x1x64xf16>
      return %r0, %r1 : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
    }
  }
}
