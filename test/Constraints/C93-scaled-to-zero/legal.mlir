// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xf16> {
      %s = ane.const dense<0.5> : tensor<f16>
      %0 = ane.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xf16>
      %1 = ane.mul %0, %s : tensor<1x1x1x64xf16>, tensor<f16>
      return %1 : tensor<1x1x1x64xf16>
    }
  }
}
