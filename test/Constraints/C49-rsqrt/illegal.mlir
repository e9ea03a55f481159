// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.rsqrt' violates C49 rsqrt on h16 (in_memory, macOS 15): rsqrt has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-spellings; 1 / sqrt(x) with sqrt and real_div
// CHECK: note: see 'ane-compile --explain=C49'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %c = ane.const dense<1.0e-03> : tensor<f16>
      %m = ane.maximum %x, %c : tensor<1x64x1x64xf16>, tensor<f16>
      %0 = ane.rsqrt %m : tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
