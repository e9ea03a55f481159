// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.relu' violates C155 bfloat on h16 (in_memory, macOS 15): element type: bf16, must be f16
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-dtype; computed in fp16
// CHECK: note: see 'ane-compile --explain=C155'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xbf16>) -> tensor<1x64x1x64xbf16> {
      %0 = ane.relu %x : tensor<1x64x1x64xbf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xbf16>
    }
  }
}
