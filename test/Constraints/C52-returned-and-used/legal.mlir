// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> (tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>) {
      %0 = ane.relu %x : tensor<1x64x1x64xf16>
      %1 = ane.exp %0 : tensor<1x64x1x64xf16>
      %2 = ane.identity %0 : tensor<1x64x1x64xf16>
      return %2, %1 : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
    }
  }
}
