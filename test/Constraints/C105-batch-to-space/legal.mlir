// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<4x64x16x32xf16>) -> tensor<1x64x32x64xf16> {
      %0 = ane.batch_to_space %x {block_shape = array<i64: 2, 2>, crops = array<i64: 0, 0, 0, 0>} : (tensor<4x64x16x32xf16>) -> tensor<1x64x32x64xf16>
      return %0 : tensor<1x64x32x64xf16>
    }
  }
}
