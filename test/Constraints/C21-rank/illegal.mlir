// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.relu' violates C21 rank on h16 (in_memory, macOS 15): rank of operand 'x': 5, limit 4
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-rank; neighbouring axes are merged
// CHECK: note: see 'ane-compile --explain=C21'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x2x32x32x32xf16>) -> tensor<1x2x32x32x32xf16> {
      %0 = ane.relu %x : tensor<1x2x32x32x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x2x32x32x32xf16>
    }
  }
}
