// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x64xf16>, %y: tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> {
      %0 = ane.transpose %x {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16>
      %1 = ane.matmul %0, %y : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16>
      return %1 : tensor<1x4x64x64xf16>
    }
  }
}
