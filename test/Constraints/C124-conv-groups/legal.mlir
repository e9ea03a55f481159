// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x8191x1x32xf16>) -> tensor<1x8191x1x32xf16> {
      %w = ane.const dense<0.5> : tensor<8191x1x1x1xf16>
      %0 = ane.conv %x, %w {groups = 8191 : i64} : (tensor<1x8191x1x32xf16>, tensor<8191x1x1x1xf16>) -> tensor<1x8191x1x32xf16>
      return %0 : tensor<1x8191x1x32xf16>
    }
  }
}
