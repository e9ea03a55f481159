// RUN: ane-opt %s --ane-verify-legal

// Other ops take five axes.
module attributes {ane.target = #ane.target<chip = "h17s", route = e5rt, os = 26, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<2x3x32x64xf16>, %y: tensor<2x3x64x32xf16>, %z: tensor<1x2x3x32x64xf16>) -> (tensor<2x3x32x32xf16>, tensor<1x2x3x32x64xf16>) {
      %0 = ane.matmul %x, %y : (tensor<2x3x32x64xf16>, tensor<2x3x64x32xf16>) -> tensor<2x3x32x32xf16>
      %1 = ane.relu %z : tensor<1x2x3x32x64xf16>
      return %0, %1 : tensor<2x3x32x32xf16>, tensor<1x2x3x32x64xf16>
    }
  }
}
