// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C98" 2>&1 | FileCheck %s

// CHECK: error: 'ane.concat' violates C98 concat-rows on h16 (e5rt, macOS 15): row of operand 'values'[0]: 65537, limit 65536
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU joins; two useful axes, or parts, do as well
// CHECK: note: see 'ane-compile --explain=C98'

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x65537xf16>, %y: tensor<1x65537xf16>) -> tensor<2x65537xf16> {
      %0 = ane.concat %x, %y {axis = 0 : i64} : (tensor<1x65537xf16>, tensor<1x65537xf16>) -> tensor<2x65537xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<2x65537xf16>
    }
  }
}
