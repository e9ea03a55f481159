// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.round' violates C66 round-large on h16 (in_memory, macOS 15): round has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-spellings; floor(x), and 1 more where the rest is above a half
// CHECK: note: see 'ane-compile --explain=C66'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.round %x : tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
