// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C73"

module attributes {ane.target = #ane.target<chip = "h13", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>, %y: tensor<1x64x1x32xf16>) -> tensor<1x64x1x64xf16> {
      %s = ane.sigmoid %x : tensor<1x64x1x64xf16>
      %0 = ane.slice_by_size %s {begin = array<i64: 0, 0, 0, 32>, size = array<i64: 1, 64, 1, 32>} : (tensor<1x64x1x64xf16>) -> tensor<1x64x1x32xf16>
      %1 = ane.concat %0, %y {axis = 3 : i64} : (tensor<1x64x1x32xf16>, tensor<1x64x1x32xf16>) -> tensor<1x64x1x64xf16>
      return %1 : tensor<1x64x1x64xf16>
    }
  }
}
