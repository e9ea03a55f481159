// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 27, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%s: tensor<1x4x64x256xf16>, %v: tensor<1x4x256x64xf16>) -> tensor<1x4x64x64xf16> {
      %p = ane.softmax %s {axis = -1 : i64} : tensor<1x4x64x256xf16>
      %0 = ane.matmul %p, %v : (tensor<1x4x64x256xf16>, tensor<1x4x256x64xf16>) -> tensor<1x4x64x64xf16>
      return %0 : tensor<1x4x64x64xf16>
    }
  }
}
