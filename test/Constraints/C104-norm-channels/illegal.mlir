// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.local_response_norm' violates C104 norm-channels on h13 (netlist, macOS 15): channels: 16, limit 15
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it
// CHECK: note: see 'ane-compile --explain=C104'

module attributes {ane.target = #ane.target<chip = "h13", route = netlist, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x16x16x32xf16>) -> tensor<1x16x16x32xf16> {
      %0 = ane.local_response_norm %x {size = 5 : i64} : tensor<1x16x16x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x16x16x32xf16>
    }
  }
}
