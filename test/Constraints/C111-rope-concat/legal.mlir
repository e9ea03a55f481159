// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C111"

module attributes {ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> {
      %p = ane.const dense<0.0> : tensor<64x64xf16>
      %0 = ane.matmul %x, %p : (tensor<1x4x64x64xf16>, tensor<64x64xf16>) -> tensor<1x4x64x64xf16>
      return %0 : tensor<1x4x64x64xf16>
    }
  }
}
