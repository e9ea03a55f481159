// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C103" 2>&1 | FileCheck %s

// CHECK: error: 'ane.topk' violates C103 topk-count on h16 (e5rt, macOS 15): k: 4, must be neither 3 nor 4
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU sorts; k = 5 and a slice do the same
// CHECK: note: see 'ane-compile --explain=C103'

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64xf16>) -> tensor<1x4xf16> {
      %0, %1 = ane.topk %x {k = 4 : i64, axis = -1 : i64} : (tensor<1x64xf16>) -> (tensor<1x4xf16>, tensor<1x4xi32>) loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x4xf16>
    }
  }
}
