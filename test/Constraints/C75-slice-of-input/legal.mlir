// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x128xf16>) -> tensor<1x64x1x64xf16> {
      %r = ane.relu %x : tensor<1x64x1x128xf16>
      %0 = ane.slice_by_index %r {begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 64, 1, 128>, stride = array<i64: 1, 1, 1, 2>} : (tensor<1x64x1x128xf16>) -> tensor<1x64x1x64xf16>
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
