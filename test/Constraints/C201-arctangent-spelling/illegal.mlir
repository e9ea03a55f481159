// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C201 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.atan' meets C201 arctangent-spelling on h16 (in_memory, macOS 15): better: a polynomial of x / (1 + sqrt(1 + x * x))
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-spellings; t P(t^2) with t = x / (1 + sqrt(1 + x^2)), the tangent of half the angle, without squares that overflow
// CHECK: note: see 'ane-compile --explain=C201'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.atan %x : tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
