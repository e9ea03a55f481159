// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C95" 2>&1 | FileCheck %s

// CHECK: error: 'ane.layer_norm' violates C95 layer-norm-affine on h16 (in_memory, macOS 15): normalised elements: 10240, limit 10239
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-norms; decomposed; gamma and beta are a product and a sum of their own
// CHECK: note: see 'ane-compile --explain=C95'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x10240xf16>) -> tensor<1x64x10240xf16> {
      %g = ane.const dense<2.0> : tensor<10240xf16>
      %b = ane.const dense<1.0> : tensor<10240xf16>
      %0 = ane.layer_norm %x gamma %g beta %b {axes = array<i64: -1>} : (tensor<1x64x10240xf16>, tensor<10240xf16>, tensor<10240xf16>) -> tensor<1x64x10240xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x10240xf16>
    }
  }
}
