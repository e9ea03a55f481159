// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x1x64x32768xf16>, %y: tensor<1x1x64x32768xf16>) -> tensor<1x1x64x64xf16> {
      %0 = ane.matmul %x, %y {transpose_y = true} : (tensor<1x1x64x32768xf16>, tensor<1x1x64x32768xf16>) -> tensor<1x1x64x64xf16>
      return %0 : tensor<1x1x64x64xf16>
    }
  }
}
