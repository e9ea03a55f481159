// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x16x32xf16>) -> tensor<1x64x14x32xf16> {
      %w = ane.const dense<0.5> : tensor<64x64x3x1xf16>
      %0 = ane.conv %x, %w {dilations = array<i64: 1, 1>} : (tensor<1x64x16x32xf16>, tensor<64x64x3x1xf16>) -> tensor<1x64x14x32xf16>
      return %0 : tensor<1x64x14x32xf16>
    }
  }
}
