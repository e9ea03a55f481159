module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @p {
    func.func @main(%u: tensor<2xf16>) -> tensor<2xf16> {
      %c = ane.const dense<[1.0, 2.0]> : tensor<2xf16>
      %d = ane.tanh %c : tensor<2xf16>
      %0 = ane.add %u, %d : tensor<2xf16>, tensor<2xf16>
      return %0 : tensor<2xf16>
    }
  }
}
