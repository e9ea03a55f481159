// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x16x32xf16>, %w: tensor<64x64x1x1xf16>) -> tensor<1x64x16x32xf16> {
      %0 = ane.conv %x, %w : (tensor<1x64x16x32xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x16x32xf16>
      return %0 : tensor<1x64x16x32xf16>
    }
  }
}
