// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C114" 2>&1 | FileCheck %s

// CHECK: error: 'ane.softmax' violates C114 direct-attention on h16 (in_memory, macOS 27): keys: 257, limit 256
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-attention; columns of 256 with a common maximum and sum
// CHECK: note: see 'ane-compile --explain=C114'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 27, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%s: tensor<1x4x64x257xf16>, %v: tensor<1x4x257x64xf16>) -> tensor<1x4x64x64xf16> {
      %p = ane.softmax %s {axis = -1 : i64} : tensor<1x4x64x257xf16> loc(fused["model.onnx":1:1, "/model/node"])
      %0 = ane.matmul %p, %v : (tensor<1x4x64x257xf16>, tensor<1x4x257x64xf16>) -> tensor<1x4x64x64xf16>
      return %0 : tensor<1x4x64x64xf16>
    }
  }
}
