// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C133"

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<64x15625xf16>) -> tensor<64x8000xf16> {
      %w0 = ane.const dense<0.25> : tensor<15625x8000xf16>
      %0 = ane.matmul %x, %w0 : (tensor<64x15625xf16>, tensor<15625x8000xf16>) -> tensor<64x8000xf16>
      return %0 : tensor<64x8000xf16>
    }
  }
}
