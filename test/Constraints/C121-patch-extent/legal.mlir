// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C121"

module attributes {ane.keep = ["C121"], ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x8x128x64xf16>) -> tensor<1x8x98x64xf16> {
      %w = ane.const dense<1.0> : tensor<8x8x31x1xf16>
      %0 = ane.conv %x, %w {pad_type = "valid"} : (tensor<1x8x128x64xf16>, tensor<8x8x31x1xf16>) -> tensor<1x8x98x64xf16>
      return %0 : tensor<1x8x98x64xf16>
    }
  }
}

// -----

// Sources disagree about it: it is a rule only where it is kept.
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x8x128x64xf16>) -> tensor<1x8x97x64xf16> {
      %w = ane.const dense<1.0> : tensor<8x8x32x1xf16>
      %0 = ane.conv %x, %w {pad_type = "valid"} : (tensor<1x8x128x64xf16>, tensor<8x8x32x1xf16>) -> tensor<1x8x97x64xf16>
      return %0 : tensor<1x8x97x64xf16>
    }
  }
}
