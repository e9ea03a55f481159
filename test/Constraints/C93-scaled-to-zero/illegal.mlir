// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.mul' violates C93 scaled-to-zero on h16 (in_memory, macOS 15): a reduction is multiplied by 0
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-neighbours; x - x
// CHECK: note: see 'ane-compile --explain=C93'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xf16> {
      %s = ane.const dense<0.0> : tensor<f16>
      %0 = ane.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xf16>
      %1 = ane.mul %0, %s : tensor<1x1x1x64xf16>, tensor<f16> loc(fused["model.onnx":1:1, "/model/node"])
      return %1 : tensor<1x1x1x64xf16>
    }
  }
}
