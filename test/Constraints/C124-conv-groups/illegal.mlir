// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.conv' violates C124 conv-groups on h13 (in_memory, macOS 15): groups: 8192, limit 8191
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it; channels can be split
// CHECK: note: see 'ane-compile --explain=C124'

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x8192x1x32xf16>) -> tensor<1x8192x1x32xf16> {
      %w = ane.const dense<0.5> : tensor<8192x1x1x1xf16>
      %0 = ane.conv %x, %w {groups = 8192 : i64} : (tensor<1x8192x1x32xf16>, tensor<8192x1x1x1xf16>) -> tensor<1x8192x1x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x8192x1x32xf16>
    }
  }
}
