// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.relu' violates C27 channel-axis on h16 (in_memory, macOS 15): channels of operand 'x': 65537, limit 65536
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: another axis takes the extent
// CHECK: note: see 'ane-compile --explain=C27'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x65537x1x32xf16>) -> tensor<1x65537x1x32xf16> {
      %0 = ane.relu %x : tensor<1x65537x1x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x65537x1x32xf16>
    }
  }
}
