// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C63"

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> {
      %0 = ane.max_pool %x {kernel_sizes = array<i64: 1, 1>, pad_type = "valid"} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      return %0 : tensor<1x64x32x32xf16>
    }
  }
}
