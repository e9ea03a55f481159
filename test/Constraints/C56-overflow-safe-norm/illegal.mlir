// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.reduce_sum' violates C56 overflow-safe-norm on h16 (in_memory, macOS 15): what is squared and summed was not divided by its maximum
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-norms; decomposed: each token is scaled
// CHECK: note: see 'ane-compile --explain=C56'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xf16> {
      %q = ane.mul %x, %x : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      %0 = ane.reduce_sum %q {axes = array<i64: 1>, keep_dims = true} : (tensor<1x64x1x64xf16>) -> tensor<1x1x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x1x1x64xf16>
    }
  }
}

// -----

// CHECK: error: 'ane.rms_norm' violates C56 overflow-safe-norm on h16 (in_memory, macOS 15): the squares of rms_norm overflow

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.rms_norm %x {axes = array<i64: 1>, epsilon = 1.0e-05 : f64} : (tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16>
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
