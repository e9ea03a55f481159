// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C84 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.tanh' meets C84 activation-tables on h16 (in_memory, macOS 15): better: exp and real_div, which are accurate to 5e-4
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: accepted: errors are below 1 %; what is better for large magnitudes cancels near 0 (elu: exp(x) - 1)
// CHECK: note: see 'ane-compile --explain=C84'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.tanh %x : tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
