// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C106" 2>&1 | FileCheck %s

// CHECK: error: 'ane.scaled_dot_product_attention' violates C106 attention-extent on h16 (netlist, macOS 15): queries and keys: 512, limit 511
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-decompose-composites; matmul, add, softmax, matmul
// CHECK: note: see 'ane-compile --explain=C106'

module attributes {ane.target = #ane.target<chip = "h16", route = netlist, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%q: tensor<1x8x512x64xf16>, %k: tensor<1x8x512x64xf16>, %v: tensor<1x8x512x64xf16>) -> tensor<1x8x512x64xf16> {
      %0 = ane.scaled_dot_product_attention %q, %k, %v : (tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>, tensor<1x8x512x64xf16>) -> tensor<1x8x512x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x8x512x64xf16>
    }
  }
}
