// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios18, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%q: tensor<1x4x64x32xf16>) -> tensor<1x4x64x32xf16> {
      %0 = ane.scaled_dot_product_attention %q, %q, %q : (tensor<1x4x64x32xf16>, tensor<1x4x64x32xf16>, tensor<1x4x64x32xf16>) -> tensor<1x4x64x32xf16>
      return %0 : tensor<1x4x64x32xf16>
    }
  }
}
