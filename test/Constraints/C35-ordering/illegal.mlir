// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.topk' violates C35 ordering on h16 (in_memory, macOS 15): topk has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU sorts
// CHECK: note: see 'ane-compile --explain=C35'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x32xf16> {
      %0, %1 = ane.topk %x {k = 32 : i64, axis = 3 : i64} : (tensor<1x64x1x64xf16>) -> (tensor<1x64x1x32xf16>, tensor<1x64x1x32xi32>) loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x32xf16>
    }
  }
}
