// RUN: not ane-opt %s --split-input-file --ane-verify-legal="emittable=true only=C136" 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C136 slot-order on h13 (in_memory, macOS 15): surface of input 'in01': 49152 bytes, must be at least the 65536 of input 'in00'
// CHECK: note: remedy: --ane-assign-surfaces; all have one size (C02, C18)
// CHECK: note: see 'ane-compile --explain=C136'
// CHECK: error: procedure '@main_0::@main' violates C136 slot-order on h13 (in_memory, macOS 15): surface of output 'out01': 65536 bytes, must be at most the 49152 of output 'out00'

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x0: tensor<1x64x1x64xf16> {ane.name = "in00", ane.surface = #ane.surface<row_stride = 128, bytes = 65536>}, %x1: tensor<1x64x1x64xf16> {ane.name = "in01", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) -> (tensor<1x64x1x64xf16> {ane.name = "out00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}, tensor<1x64x1x64xf16> {ane.name = "out01", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) {
      %0 = ane.add %x0, %x1 : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      %1 = ane.exp %0 : tensor<1x64x1x64xf16>
      %2 = ane.relu %0 : tensor<1x64x1x64xf16>
      return %1, %2 : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
    }
  }
}

// -----

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x0: tensor<1x64x1x64xf16> {ane.name = "in00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}, %x1: tensor<1x64x1x64xf16> {ane.name = "in01", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) -> (tensor<1x64x1x64xf16> {ane.name = "out00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}, tensor<1x64x1x64xf16> {ane.name = "out01", ane.surface = #ane.surface<row_stride = 128, bytes = 65536>}) {
      %0 = ane.add %x0, %x1 : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      %1 = ane.exp %0 : tensor<1x64x1x64xf16>
      %2 = ane.relu %0 : tensor<1x64x1x64xf16>
      return %1, %2 : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
    }
  }
}
