// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C80 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.matmul' meets C80 small-probabilities on h16 (in_memory, macOS 15): probabilities summed: 4096, limit 4095
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-attention; the probabilities are multiplied by 64, the values divided by their largest, so that nothing overflows, and the product gets both back
// CHECK: note: see 'ane-compile --explain=C80'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%s: tensor<1x4x64x4096xf16>, %v: tensor<1x4x4096x64xf16>) -> tensor<1x4x64x64xf16> {
      %p = ane.softmax %s {axis = -1 : i64} : tensor<1x4x64x4096xf16>
      %0 = ane.matmul %p, %v : (tensor<1x4x64x4096xf16>, tensor<1x4x4096x64xf16>) -> tensor<1x4x64x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x4x64x64xf16>
    }
  }
}
