// RUN: ane-opt %s --split-input-file --ane-verify-legal
// 8 columns; rows, and columns of means, are others'.

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x64x64xf16>) -> (tensor<1x64x64x64xf16>, tensor<1x64x64x64xf16>) {
      %0 = ane.max_pool %x {kernel_sizes = array<i64: 9, 8>, pad_type = "same"} : (tensor<1x64x64x64xf16>) -> tensor<1x64x64x64xf16>
      %1 = ane.avg_pool %x {kernel_sizes = array<i64: 1, 14>, pad_type = "same"} : (tensor<1x64x64x64xf16>) -> tensor<1x64x64x64xf16>
      return %0, %1 : tensor<1x64x64x64xf16>, tensor<1x64x64x64xf16>
    }
  }
}
