// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C106"

module attributes {ane.target = #ane.target<chip = "h16", route = netlist, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%q: tensor<1x8x511x64xf16>, %k: tensor<1x8x511x64xf16>, %v: tensor<1x8x511x64xf16>) -> tensor<1x8x511x64xf16> {
      %0 = ane.scaled_dot_product_attention %q, %k, %v : (tensor<1x8x511x64xf16>, tensor<1x8x511x64xf16>, tensor<1x8x511x64xf16>) -> tensor<1x8x511x64xf16>
      return %0 : tensor<1x8x511x64xf16>
    }
  }
}
