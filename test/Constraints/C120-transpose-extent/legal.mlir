// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C120"

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<2x8388607xf16>) -> tensor<8388607x2xf16> {
      %0 = ane.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x8388607xf16>) -> tensor<8388607x2xf16>
      return %0 : tensor<8388607x2xf16>
    }
  }
}
