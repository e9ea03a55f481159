// RUN: not ane-opt %s --split-input-file --ane-verify-legal="emittable=true only=C20" 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C20 packed-surfaces on h16 (in_memory, macOS 15): input 'in00': rows of 32 bytes, 64 apart, must be rows of whole 64-byte units, without gaps
// CHECK: note: remedy: --ane-legalize-io, --ane-assign-surfaces; data is written from byte 0
// CHECK: note: see 'ane-compile --explain=C20'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x0: tensor<1x768x1x16xf16> {ane.name = "in00", ane.surface = #ane.surface<row_stride = 64, bytes = 49152>}) -> (tensor<1x768x1x16xf16> {ane.name = "out00", ane.surface = #ane.surface<row_stride = 64, bytes = 49152>}) {
      %r0 = ane.relu %x0 : tensor<1x768x1x16xf16>
      return %r0 : tensor<1x768x1x16xf16>
    }
  }
}
