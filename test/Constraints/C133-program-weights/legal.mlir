// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C133"

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x32xf16>, %y: tensor<1x64x32xf16>) -> tensor<1x64x16384xf16> {
      %w = ane.const dense<0.5> : tensor<32x16384xf16>
      %0 = ane.matmul %x, %w : (tensor<1x64x32xf16>, tensor<32x16384xf16>) -> tensor<1x64x16384xf16>
      return %0 : tensor<1x64x16384xf16>
    }
  }
}
