// RUN: not ane-opt %s --split-input-file --ane-verify-legal="emittable=true" 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C03 output-order on h16 (in_memory, macOS 15): output 'k': declared after output 'q', must be before it in the order of names
// CHECK: note: remedy: --ane-assign-names; the compiler chooses the names
// CHECK: note: see 'ane-compile --explain=C03'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x0: tensor<1x64x1x64xf16> {ane.name = "in00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) -> (tensor<1x64x1x64xf16> {ane.name = "q", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}, tensor<1x64x1x64xf16> {ane.name = "k", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) {
      %r0 = ane.relu %x0 : tensor<1x64x1x64xf16>
      %r1 = ane.exp %x0 : tensor<1x64x1x64xf16>
      return %r0, %r1 : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
    }
  }
}
