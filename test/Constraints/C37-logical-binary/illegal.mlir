// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.logical_or' violates C37 logical-binary on h16 (in_memory, macOS 15): logical_or has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it
// CHECK: note: see 'ane-compile --explain=C37'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>, %y: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %a = ane.greater %x, %y : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      %b = ane.less %x, %y : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      %m = ane.logical_or %a, %b : tensor<1x64x1x64xi1>, tensor<1x64x1x64xi1> loc(fused["model.onnx":1:1, "/model/node"])
      %0 = ane.select %m, %x, %y : tensor<1x64x1x64xi1>, tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
