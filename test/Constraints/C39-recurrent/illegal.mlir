// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.rnn' violates C39 recurrent on h16 (in_memory, macOS 15): rnn has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it; unrolled
// CHECK: note: see 'ane-compile --explain=C39'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<32x1x64xf16>, %h0: tensor<1x64xf16>) -> tensor<1x64xf16> {
      %w = ane.const dense<1.0> : tensor<64x64xf16>
      %y, %h = ane.rnn %x, %h0, %w, %w : (tensor<32x1x64xf16>, tensor<1x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>) -> (tensor<1x1x64xf16>, tensor<1x64xf16>) loc(fused["model.onnx":1:1, "/model/node"])
      return %h : tensor<1x64xf16>
    }
  }
}
