// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C06" 2>&1 | FileCheck %s

// CHECK: error: 'ane.scaled_dot_product_attention' violates C06 attention-mask on h16 (in_memory, macOS 15): argument 'attn_mask': is given
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-decompose-composites; matmul, add, softmax, matmul
// CHECK: note: see 'ane-compile --explain=C06'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%q: tensor<1x4x64x32xf16>, %m: tensor<1x1x64x64xf16>) -> tensor<1x4x64x32xf16> {
      %0 = ane.scaled_dot_product_attention %q, %q, %q mask %m : (tensor<1x4x64x32xf16>, tensor<1x4x64x32xf16>, tensor<1x4x64x32xf16>, tensor<1x1x64x64xf16>) -> tensor<1x4x64x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x4x64x32xf16>
    }
  }
}
