// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.concat' violates C01 concat on h16 (in_memory, macOS 15): concat has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-concat; written as sums
// CHECK: note: see 'ane-compile --explain=C01'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>, %y: tensor<1x64x1x64xf16>) -> tensor<1x128x1x64xf16> {
      %0 = ane.concat %x, %y {axis = 1 : i64} : (tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>) -> tensor<1x128x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x128x1x64xf16>
    }
  }
}
