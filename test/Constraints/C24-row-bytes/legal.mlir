// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %s = ane.slice_by_size %x {begin = array<i64: 0, 0, 0, 0>, size = array<i64: 1, 64, 1, 48>} : (tensor<1x64x1x64xf16>) -> tensor<1x64x1x48xf16>
      %r = ane.relu %s : tensor<1x64x1x48xf16>
      %0 = ane.pad %r {pad = array<i64: 0, 16>} : (tensor<1x64x1x48xf16>) -> tensor<1x64x1x64xf16>
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
