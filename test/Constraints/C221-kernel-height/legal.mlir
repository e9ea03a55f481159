// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x64x64xf16>) -> tensor<1x32x34x64xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 126976> : tensor<32x64x31x1xf16>
      %0 = ane.conv %x, %w {strides = array<i64: 1, 1>, pad_type = "valid", pad = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x64x64xf16>, tensor<32x64x31x1xf16>) -> tensor<1x32x34x64xf16>
      return %0 : tensor<1x32x34x64xf16>
    }
  }
}
