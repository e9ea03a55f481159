// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x32xf16>) -> tensor<1x64x2x32xf16> {
      %0 = ane.upsample_nearest_neighbor %x {scale_factor_height = 2 : i64, scale_factor_width = 1 : i64} : (tensor<1x64x1x32xf16>) -> tensor<1x64x2x32xf16>
      return %0 : tensor<1x64x2x32xf16>
    }
  }
}
