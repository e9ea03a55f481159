// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C108"

module attributes {ane.keep = ["C108"], ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x64xf16>, %y: tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> {
      %w = ane.const dense<1.0> : tensor<4x4x1x1xf16>
      %a = ane.conv %x, %w {pad_type = "valid"} : (tensor<1x4x64x64xf16>, tensor<4x4x1x1xf16>) -> tensor<1x4x64x64xf16>
      %0 = ane.matmul %a, %y : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16>
      return %0 : tensor<1x4x64x64xf16>
    }
  }
}

// -----

// Sources disagree about it: it is a rule only where it is kept.
module attributes {ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x64xf16>, %y: tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> {
      %a = ane.relu %x : tensor<1x4x64x64xf16>
      %0 = ane.matmul %a, %y : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16>
      return %0 : tensor<1x4x64x64xf16>
    }
  }
}
