// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<2x64x1x64xf16>, %y: tensor<2x64x1x64xf16>) -> tensor<2x64x1x64xf16> {
      %0 = ane.mul %x, %y : tensor<2x64x1x64xf16>, tensor<2x64x1x64xf16>
      return %0 : tensor<2x64x1x64xf16>
    }
  }
}
