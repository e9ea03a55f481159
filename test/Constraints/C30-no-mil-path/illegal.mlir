// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.relu' violates C30 no-mil-path on h12 (in_memory, macOS 15): h12 runs no MIL program
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: everything runs on the CPU
// CHECK: note: see 'ane-compile --explain=C30'

module attributes {ane.target = #ane.target<chip = "h12", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.relu %x : tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
