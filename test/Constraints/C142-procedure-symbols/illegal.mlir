// RUN: not ane-opt %s --ane-verify-legal="emittable=true only=C142" 2>&1 | FileCheck %s

// CHECK: error: procedure '@bank_0::@decode_0' violates C142 procedure-symbols on h16 (in_memory, macOS 15): input 'in00': a name of procedure 'prefill_0', too
// CHECK: note: remedy: --ane-assign-names; indices are asked for by name, never assumed
// CHECK: note: see 'ane-compile --explain=C142'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @bank_0 {
    func.func @prefill_0(%x: tensor<1x8x1x64xf16> {ane.name = "in00"}) -> (tensor<1x8x1x64xf16> {ane.name = "out00"}) {
      %0 = ane.relu %x {ane.name = "relu_0"} : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @decode_0(%x: tensor<1x8x1x64xf16> {ane.name = "in00"}) -> (tensor<1x8x1x64xf16> {ane.name = "out01"}) {
      %0 = ane.relu %x {ane.name = "relu_0"} : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
  }
}
