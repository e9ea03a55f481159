// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C16"

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<64x384xf16>) -> tensor<64x31999xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 24575232> : tensor<31999x384xf16>
      %0 = ane.linear %x, %w : (tensor<64x384xf16>, tensor<31999x384xf16>) -> tensor<64x31999xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<64x31999xf16>
    }
  }
}

// -----

// Only input channels were measured to be rejected: 32,000 and 62,080 output channels run.
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = evidence>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<64x576xf16>) -> tensor<64x62080xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 71516160> : tensor<62080x576xf16>
      %0 = ane.linear %x, %w : (tensor<64x576xf16>, tensor<62080x576xf16>) -> tensor<64x62080xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<64x62080xf16>
    }
  }
}
