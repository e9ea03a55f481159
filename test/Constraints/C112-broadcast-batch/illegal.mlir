// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.mul' violates C112 broadcast-batch on h15 (in_memory, macOS 15): batches of 2 and 1 are multiplied
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU multiplies
// CHECK: note: see 'ane-compile --explain=C112'

module attributes {ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<2x64x1x64xf16>, %y: tensor<1x64x1x64xf16>) -> tensor<2x64x1x64xf16> {
      %0 = ane.mul %x, %y : tensor<2x64x1x64xf16>, tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<2x64x1x64xf16>
    }
  }
}
