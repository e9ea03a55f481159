// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C58 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.sigmoid' meets C58 sigmoid-spelling on h16 (in_memory, macOS 15): better: 1 / (1 + exp(-x)), x / (1 + exp(-x))
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-spellings; exp(min(x, 0)) / (1 + exp(-abs(x))), which is 1 / (1 + exp(-x)) without its overflow
// CHECK: note: see 'ane-compile --explain=C58'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.sigmoid %x : tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
