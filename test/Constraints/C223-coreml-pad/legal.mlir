// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 27, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x32x64xf16>) -> (tensor<1x64x36x68xf16>, tensor<1x64x36x68xf16>, tensor<1x72x32x64xf16>) {
      %0 = ane.pad %x {mode = "reflect", pad = array<i64: 2, 2, 2, 2>} : (tensor<1x64x32x64xf16>) -> tensor<1x64x36x68xf16>
      %1 = ane.pad %x {mode = "replicate", pad = array<i64: 2, 2, 2, 2>} : (tensor<1x64x32x64xf16>) -> tensor<1x64x36x68xf16>
      %2 = ane.pad %x {pad = array<i64: 4, 4, 0, 0, 0, 0>} : (tensor<1x64x32x64xf16>) -> tensor<1x72x32x64xf16>
      return %0, %1, %2 : tensor<1x64x36x68xf16>, tensor<1x64x36x68xf16>, tensor<1x72x32x64xf16>
    }
  }
}
