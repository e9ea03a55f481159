// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x128x64xf16>) -> tensor<1x2x64xf16> {
      %0 = ane.slice_by_size %x {begin = array<i64: 0, 0, 0>, size = array<i64: 1, 2, 64>} : (tensor<1x128x64xf16>) -> tensor<1x2x64xf16>
      return %0 : tensor<1x2x64xf16>
    }
  }
}
