// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s
// Polynomials in software before H15; M4 has a unit.

// CHECK: error: 'ane.sin' violates C44 sin-cos on h13 (in_memory, macOS 15): sin has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it
// CHECK: note: see 'ane-compile --explain=C44'

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.sin %x : tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
