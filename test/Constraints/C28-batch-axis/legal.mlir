// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<65536x1x1x32xf16>) -> tensor<65536x1x1x32xf16> {
      %0 = ane.relu %x : tensor<65536x1x1x32xf16>
      return %0 : tensor<65536x1x1x32xf16>
    }
  }
}
