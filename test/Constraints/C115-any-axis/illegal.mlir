// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C115" 2>&1 | FileCheck %s

// CHECK: error: 'ane.relu' violates C115 any-axis on h16 (in_memory, macOS 15): longest axis of operand 'x': 65537, limit 65536
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the axis stays apart, or the op runs on the CPU
// CHECK: note: see 'ane-compile --explain=C115'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<65537xf16>) -> tensor<65537xf16> {
      %0 = ane.relu %x : tensor<65537xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<65537xf16>
    }
  }
}
