// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.relu' violates C22 dtype on h16 (in_memory, macOS 15): operand 'x': element type f32, must be f16 or i1
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-dtype; the engine body is written in fp16
// CHECK: note: see 'ane-compile --explain=C22'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf32>) -> tensor<1x64x1x64xf32> {
      %0 = ane.relu %x : tensor<1x64x1x64xf32> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf32>
    }
  }
}
