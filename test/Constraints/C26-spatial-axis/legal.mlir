// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x1x1x16384xf16>) -> tensor<1x1x1x16384xf16> {
      %0 = ane.relu %x : tensor<1x1x1x16384xf16>
      return %0 : tensor<1x1x1x16384xf16>
    }
  }
}

// -----

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x1x1x65536xf16>) -> tensor<1x1x1x65536xf16> {
      %0 = ane.relu %x : tensor<1x1x1x65536xf16>
      return %0 : tensor<1x1x1x65536xf16>
    }
  }
}
