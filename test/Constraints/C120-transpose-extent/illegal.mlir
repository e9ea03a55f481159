// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C120" 2>&1 | FileCheck %s

// CHECK: error: 'ane.transpose' violates C120 transpose-extent on h13 (in_memory, macOS 15): longest axis of operand 'x': 8388608, limit 8388607
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU transposes; C26 and C115 are reached before
// CHECK: note: see 'ane-compile --explain=C120'

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<2x8388608xf16>) -> tensor<8388608x2xf16> {
      %0 = ane.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x8388608xf16>) -> tensor<8388608x2xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<8388608x2xf16>
    }
  }
}
