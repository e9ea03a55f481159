// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.pow' violates C65 pow-exponent on h16 (in_memory, macOS 15): argument 'y': a constant, must be a runtime value
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-spellings; products, sqrt and real_div
// CHECK: note: see 'ane-compile --explain=C65'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %c = ane.const dense<-5.0e-01> : tensor<f16>
      %0 = ane.pow %x, %c : tensor<1x64x1x64xf16>, tensor<f16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
