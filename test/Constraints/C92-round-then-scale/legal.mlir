// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %c = ane.const dense<0.5> : tensor<1x64x1x64xf16>
      %s = ane.const dense<0.5> : tensor<f16>
      %0 = ane.floor %x : tensor<1x64x1x64xf16>
      %1 = ane.mul %0, %c : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      // A sum keeps its scalar.
      %2 = ane.add %1, %s : tensor<1x64x1x64xf16>, tensor<f16>
      return %2 : tensor<1x64x1x64xf16>
    }
  }
}
