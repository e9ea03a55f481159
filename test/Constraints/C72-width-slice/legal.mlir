// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x32xf16> {
      %0 = ane.slice_by_size %x {begin = array<i64: 0, 0, 0, 0>, size = array<i64: 1, 64, 1, 32>} : (tensor<1x64x1x64xf16>) -> tensor<1x64x1x32xf16>
      // Sigmoids are at most 1.
      %s = ane.sigmoid %x : tensor<1x64x1x64xf16>
      %1 = ane.slice_by_size %s {begin = array<i64: 0, 0, 0, 32>, size = array<i64: 1, 64, 1, 32>} : (tensor<1x64x1x64xf16>) -> tensor<1x64x1x32xf16>
      %2 = ane.add %0, %1 : tensor<1x64x1x32xf16>, tensor<1x64x1x32xf16>
      return %2 : tensor<1x64x1x32xf16>
    }
  }
}
