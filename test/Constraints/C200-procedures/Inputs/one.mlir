module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @bank_0 {
    func.func @p0(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
  }
}
