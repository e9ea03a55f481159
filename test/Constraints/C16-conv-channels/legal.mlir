// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C16"

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<64x384xf16>) -> tensor<64x30528xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 23445504> : tensor<30528x384xf16>
      %0 = ane.linear %x, %w : (tensor<64x384xf16>, tensor<30528x384xf16>) -> tensor<64x30528xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<64x30528xf16>
    }
  }
}

// -----

// Only input channels were measured to be rejected: 32,000 and 62,080 output channels run.
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = evidence>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<64x576xf16>) -> tensor<64x49152xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 56623104> : tensor<49152x576xf16>
      %0 = ane.linear %x, %w : (tensor<64x576xf16>, tensor<49152x576xf16>) -> tensor<64x49152xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<64x49152xf16>
    }
  }
}
