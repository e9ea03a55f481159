// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.reduce_argmax' violates C34 arg-reduce on h16 (in_memory, macOS 15): reduce_argmax has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU searches
// CHECK: note: see 'ane-compile --explain=C34'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xi32> {
      %0 = ane.reduce_argmax %x {axis = 1 : i64, keep_dims = true} : (tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xi32> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x1x1x64xi32>
    }
  }
}
