// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C94" 2>&1 | FileCheck %s

// CHECK: error: 'ane.square' violates C94 square-then-activation on h16 (in_memory, macOS 15): width modulo 128 before tanh: 65, limit 64
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-neighbours; x * x
// CHECK: note: see 'ane-compile --explain=C94'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x193xf16>) -> tensor<1x64x1x193xf16> {
      %c = ane.clip %x {alpha = -10.0, beta = 10.0} : tensor<1x64x1x193xf16>
      %0 = ane.square %c : tensor<1x64x1x193xf16> loc(fused["model.onnx":1:1, "/model/node"])
      %1 = ane.tanh %0 : tensor<1x64x1x193xf16>
      return %1 : tensor<1x64x1x193xf16>
    }
  }
}
