// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %c = ane.const dense<7.7e-06> : tensor<f16>
      %m = ane.maximum %x, %c : tensor<1x64x1x64xf16>, tensor<f16>
      %0 = ane.log %m : tensor<1x64x1x64xf16>
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
