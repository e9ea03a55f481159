// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C23" 2>&1 | FileCheck %s

// CHECK: error: 'ane.add' violates C23 integer-compute on h16 (in_memory, macOS 15): operand 'x': element type i64
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: integer tensors stay on the CPU
// CHECK: note: see 'ane-compile --explain=C23'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xi64>) -> tensor<1x64x1x64xi64> {
      %0 = ane.add %x, %x : tensor<1x64x1x64xi64>, tensor<1x64x1x64xi64> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xi64>
    }
  }
}
