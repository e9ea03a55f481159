// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C187 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.conv' meets C187 on-chip-operand on h16 (in_memory, macOS 15): bytes of operand 'x': 4720002, limit 4720000
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: accepted: smaller batches or sequences stay on the chip
// CHECK: note: see 'ane-compile --explain=C187'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x1x1x2360001xf16>) -> tensor<1x64x1x2360001xf16> {
      %w = ane.const dense<0.5> : tensor<64x1x1x1xf16>
      %0 = ane.conv %x, %w : (tensor<1x1x1x2360001xf16>, tensor<64x1x1x1xf16>) -> tensor<1x64x1x2360001xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x2360001xf16>
    }
  }
}
