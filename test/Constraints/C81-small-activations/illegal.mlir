// RUN: ane-opt %s --ane-verify-legal="only=C81 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.mul' meets C81 small-activations on h16 (in_memory, macOS 15): result: 6.0E-05 or less, must be more than 6.1E-05
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: accepted: a stream scaled by 64 overflows where it exceeds 1,023; norms divide by the largest magnitude first (C56)
// CHECK: note: see 'ane-compile --explain=C81'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %c = ane.const dense<6.0e-05> : tensor<f16>
      %t = ane.tanh %x : tensor<1x64x1x64xf16>
      %0 = ane.mul %t, %c : tensor<1x64x1x64xf16>, tensor<f16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
