// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.mul' violates C92 round-then-scale on h16 (in_memory, macOS 15): a scalar multiplies what was rounded
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-neighbours; the factor is a constant of full shape
// CHECK: note: see 'ane-compile --explain=C92'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %s = ane.const dense<0.5> : tensor<f16>
      %0 = ane.floor %x : tensor<1x64x1x64xf16>
      %1 = ane.mul %0, %s : tensor<1x64x1x64xf16>, tensor<f16> loc(fused["model.onnx":1:1, "/model/node"])
      return %1 : tensor<1x64x1x64xf16>
    }
  }
}
