// RUN: not ane-opt %s --split-input-file --ane-verify-legal="emittable=true" 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C04 minimum-surface on h16 (in_memory, macOS 15): surface of input 'in00': 49151 bytes, must be at least 49152
// CHECK: note: remedy: --ane-assign-surfaces; the allocation is padded
// CHECK: note: see 'ane-compile --explain=C04'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x0: tensor<1x64x1x64xf16> {ane.name = "in00", ane.surface = #ane.surface<row_stride = 128, bytes = 49151>}, %x1: tensor<1x64x1x64xf16> {ane.name = "in01", ane.surface = #ane.surface<row_stride = 128, bytes = 49151>}) -> (tensor<1x64x1x64xf16> {ane.name = "out00", ane.surface = #ane.surface<row_stride = 128, bytes = 49151>}) {
      %s0 = ane.add %x0, %x1 : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      %r0 = ane.relu %s0 : tensor<1x64x1x64xf16>
      return %r0 : tensor<1x64x1x64xf16>
    }
  }
}
