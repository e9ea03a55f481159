// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C152"

module attributes {ane.keep = ["C152"], ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x64xf16>, %y: tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> {
      %w = ane.const dense<1.0> : tensor<1x4x64x64xf16>
      %0 = ane.matmul %x, %w : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16>
      %1 = ane.add %0, %y : tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>
      return %1 : tensor<1x4x64x64xf16>
    }
  }
}

// -----

// Sources disagree about it: it is a rule only where it is kept.
module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x64xf16>, %y: tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> {
      %0 = ane.matmul %x, %y : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16>
      return %0 : tensor<1x4x64x64xf16>
    }
  }
}
