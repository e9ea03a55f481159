// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x64xf16>) -> tensor<1x64x31x31xf16> {
      %w = ane.const dense<0.5> : tensor<64x4x3x3xf16>
      %0 = ane.conv %x, %w {strides = array<i64: 2, 2>} : (tensor<1x4x64x64xf16>, tensor<64x4x3x3xf16>) -> tensor<1x64x31x31xf16>
      return %0 : tensor<1x64x31x31xf16>
    }
  }
}
