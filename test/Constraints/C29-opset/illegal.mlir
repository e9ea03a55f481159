// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.scaled_dot_product_attention' violates C29 opset on h16 (in_memory, macOS 15): opset: ios18, must be at most ios16
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-decompose-composites; composites are decomposed
// CHECK: note: see 'ane-compile --explain=C29'
// CHECK: error: 'ane.hard_swish' violates C29 opset on h16 (in_memory, macOS 15): hard_swish has no MIL operation

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%q: tensor<1x4x64x32xf16>) -> tensor<1x4x64x32xf16> {
      %0 = ane.scaled_dot_product_attention %q, %q, %q : (tensor<1x4x64x32xf16>, tensor<1x4x64x32xf16>, tensor<1x4x64x32xf16>) -> tensor<1x4x64x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      %1 = ane.hard_swish %0 : tensor<1x4x64x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %1 : tensor<1x4x64x32xf16>
    }
  }
}
