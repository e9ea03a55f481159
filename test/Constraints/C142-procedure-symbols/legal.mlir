// RUN: ane-opt %s --ane-verify-legal="emittable=true only=C142"

// Values inside may be called alike, and so may ports of other programs.
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @bank_0 {
    func.func @prefill_0(%x: tensor<1x8x1x64xf16> {ane.name = "in00"}) -> (tensor<1x8x1x64xf16> {ane.name = "out00"}) {
      %0 = ane.relu %x {ane.name = "relu_0"} : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @decode_0(%x: tensor<1x8x1x64xf16> {ane.name = "in01"}) -> (tensor<1x8x1x64xf16> {ane.name = "out01"}) {
      %0 = ane.relu %x {ane.name = "relu_0"} : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
  }
  ane.program @main_1 {
    func.func @main(%x: tensor<1x8x1x64xf16> {ane.name = "in00"}) -> (tensor<1x8x1x64xf16> {ane.name = "out00"}) {
      %0 = ane.relu %x {ane.name = "relu_0"} : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
  }
}
