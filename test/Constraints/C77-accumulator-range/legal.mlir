// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>, %w: tensor<1x64x1x64xf16>) -> tensor<1x64x64xf16> {
      %a = ane.reshape %x {shape = array<i64: 1, 64, 64>} : (tensor<1x64x1x64xf16>) -> tensor<1x64x64xf16>
      // 64 products of 16 * 31.984375 are the bound, 32752.
      %b = ane.clip %a {alpha = 16.0, beta = 20.0} : tensor<1x64x64xf16>
      %c = ane.clip %a {alpha = 31.984375, beta = 40.0} : tensor<1x64x64xf16>
      %0 = ane.matmul %b, %c : (tensor<1x64x64xf16>, tensor<1x64x64xf16>) -> tensor<1x64x64xf16>
      return %0 : tensor<1x64x64xf16>
    }
  }
}
