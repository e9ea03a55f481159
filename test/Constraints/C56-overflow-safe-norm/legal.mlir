// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xf16> {
      %a = ane.abs %x : tensor<1x64x1x64xf16>
      %m = ane.reduce_max %a {axes = array<i64: 1>, keep_dims = true} : (tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xf16>
      %s = ane.real_div %x, %m : tensor<1x64x1x64xf16>, tensor<1x1x1x64xf16>
      %q = ane.mul %s, %s : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      %0 = ane.reduce_sum %q {axes = array<i64: 1>, keep_dims = true} : (tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xf16>
      return %0 : tensor<1x1x1x64xf16>
    }
  }
}
