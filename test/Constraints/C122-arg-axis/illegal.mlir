// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C122" 2>&1 | FileCheck %s

// CHECK: error: 'ane.reduce_argmax' violates C122 arg-axis on h16 (in_memory, macOS 15): axis that is searched: 2049, limit 2048
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU searches
// CHECK: note: see 'ane-compile --explain=C122'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x2049xf16>) -> tensor<1x1xi32> {
      %0 = ane.reduce_argmax %x {axis = -1 : i64, keep_dims = true} : (tensor<1x2049xf16>) -> tensor<1x1xi32> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x1xi32>
    }
  }
}
