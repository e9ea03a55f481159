// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C95"

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x10239xf16>) -> tensor<1x64x10239xf16> {
      %g = ane.const dense<2.0> : tensor<10239xf16>
      %b = ane.const dense<1.0> : tensor<10239xf16>
      %0 = ane.layer_norm %x gamma %g beta %b {axes = array<i64: -1>} : (tensor<1x64x10239xf16>, tensor<10239xf16>, tensor<10239xf16>) -> tensor<1x64x10239xf16>
      return %0 : tensor<1x64x10239xf16>
    }
  }
}
