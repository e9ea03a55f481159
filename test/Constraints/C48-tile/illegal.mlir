// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.tile' violates C48 tile on h16 (in_memory, macOS 15): tile has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-tile; a product with ones broadcasts
// CHECK: note: see 'ane-compile --explain=C48'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x32xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.tile %x {reps = array<i64: 1, 1, 1, 2>} : (tensor<1x64x1x32xf16>) -> tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
