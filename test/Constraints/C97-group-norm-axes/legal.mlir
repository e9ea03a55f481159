// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C97"

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x32x128x128xf16>) -> tensor<1x32x128x128xf16> {
      %0 = ane.group_norm %x {num_groups = 8 : i64} : (tensor<1x32x128x128xf16>) -> tensor<1x32x128x128xf16>
      return %0 : tensor<1x32x128x128xf16>
    }
  }
}
