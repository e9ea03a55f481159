// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x9216x1x32xf16>, %y: tensor<1x9216x1x64xf16>) -> tensor<1x9216x1x64xf16> {
      %0 = ane.pad %x {pad = array<i64: 0, 32>} : (tensor<1x9216x1x32xf16>) -> tensor<1x9216x1x64xf16>
      %1 = ane.add %0, %y : tensor<1x9216x1x64xf16>, tensor<1x9216x1x64xf16>
      return %1 : tensor<1x9216x1x64xf16>
    }
  }
}
