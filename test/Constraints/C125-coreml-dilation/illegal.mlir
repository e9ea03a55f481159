// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.conv' violates C125 coreml-dilation on h16 (coreml, macOS 15): dilation: 2, limit 1
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it
// CHECK: note: see 'ane-compile --explain=C125'

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x16x32xf16>) -> tensor<1x64x12x32xf16> {
      %w = ane.const dense<0.5> : tensor<64x64x3x1xf16>
      %0 = ane.conv %x, %w {dilations = array<i64: 2, 1>} : (tensor<1x64x16x32xf16>, tensor<64x64x3x1xf16>) -> tensor<1x64x12x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x12x32xf16>
    }
  }
}
