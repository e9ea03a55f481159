// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.pad' violates C60 pad-form on h16 (in_memory, macOS 15): padded axis: 1, must be the last two
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-spellings; other axes are made the last for it; other modes run on the CPU
// CHECK: note: see 'ane-compile --explain=C60'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x128x1x64xf16> {
      %0 = ane.pad %x {pad = array<i64: 0, 64, 0, 0, 0, 0>} : (tensor<1x64x1x64xf16>) -> tensor<1x128x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x128x1x64xf16>
    }
  }
}

// -----

// CHECK: error: 'ane.pad' violates C60 pad-form on h16 (in_memory, macOS 15): mode: reflect, must be constant

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x128xf16> {
      %0 = ane.pad %x {mode = "reflect", pad = array<i64: 32, 32>} : (tensor<1x64x1x64xf16>) -> tensor<1x64x1x128xf16>
      return %0 : tensor<1x64x1x128xf16>
    }
  }
}
