// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x32x1x64xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 61440> : tensor<32x64x1x15xf16>
      %0 = ane.conv %x, %w {strides = array<i64: 1, 1>, pad_type = "custom", pad = array<i64: 0, 0, 7, 7>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x1x64xf16>, tensor<32x64x1x15xf16>) -> tensor<1x32x1x64xf16>
      return %0 : tensor<1x32x1x64xf16>
    }
  }
}

// -----

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x32x1x64xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 53248> : tensor<32x64x1x13xf16>
      %0 = ane.conv %x, %w {strides = array<i64: 1, 1>, pad_type = "custom", pad = array<i64: 0, 0, 6, 6>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x1x64xf16>, tensor<32x64x1x13xf16>) -> tensor<1x32x1x64xf16>
      return %0 : tensor<1x32x1x64xf16>
    }
  }
}
