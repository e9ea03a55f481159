// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C16" 2>&1 | FileCheck %s

// CHECK: error: 'ane.linear' violates C16 conv-channels on h16 (in_memory, macOS 15): output channels: 32000, limit 31999
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-channels; output channels are split into exact slices
// CHECK: note: see 'ane-compile --explain=C16'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<64x288xf16>) -> tensor<64x32000xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 18432000> : tensor<32000x288xf16>
      %0 = ane.linear %x, %w : (tensor<64x288xf16>, tensor<32000x288xf16>) -> tensor<64x32000xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<64x32000xf16>
    }
  }
}

// -----

// CHECK: error: 'ane.linear' violates C16 conv-channels on h16 (in_memory, macOS 15): input channels: 32000, limit 31999

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<64x32000xf16>) -> tensor<64x288xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 18432000> : tensor<288x32000xf16>
      %0 = ane.linear %x, %w : (tensor<64x32000xf16>, tensor<288x32000xf16>) -> tensor<64x288xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<64x288xf16>
    }
  }
}

// -----

// What remains of the rule where it is lifted.
// CHECK: error: 'ane.linear' violates C16 conv-channels on h16 (in_memory, macOS 15): output channels: 62081, limit 62080

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = evidence>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<64x576xf16>) -> tensor<64x62081xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 71517312> : tensor<62081x576xf16>
      %0 = ane.linear %x, %w : (tensor<64x576xf16>, tensor<62081x576xf16>) -> tensor<64x62081xf16>
      return %0 : tensor<64x62081xf16>
    }
  }
}
