// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.log' violates C54 small-argument on h16 (in_memory, macOS 15): operand 'x': may be as small as 0, must be at least 7.7e-06
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-spellings; maximum(x, 7.7e-6) before the op
// CHECK: note: see 'ane-compile --explain=C54'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.log %x : tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
