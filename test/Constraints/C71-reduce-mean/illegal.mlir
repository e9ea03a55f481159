// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.reduce_mean' violates C71 reduce-mean on h16 (in_memory, macOS 15): reduce_mean has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-spellings; reduce_sum and a multiplication by 1/n
// CHECK: note: see 'ane-compile --explain=C71'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xf16> {
      %0 = ane.reduce_mean %x {axes = array<i64: 1>, keep_dims = true} : (tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x1x1x64xf16>
    }
  }
}
