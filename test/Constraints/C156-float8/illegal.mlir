// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.reshape' violates C156 float8 on h16 (in_memory, macOS 15): element type: an 8-bit float, must be f16
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it
// CHECK: note: see 'ane-compile --explain=C156'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf8E4M3FN>) -> tensor<1x64x64x1xf8E4M3FN> {
      %0 = ane.reshape %x {shape = array<i64: 1, 64, 64, 1>} : (tensor<1x64x1x64xf8E4M3FN>) -> tensor<1x64x64x1xf8E4M3FN> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x64x1xf8E4M3FN>
    }
  }
}
