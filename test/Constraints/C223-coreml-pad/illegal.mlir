// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.pad' violates C223 coreml-pad on h16 (coreml, macOS 27): padded axis of reflect: 1, must be the last two
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-spellings; other axes are made the last for it
// CHECK: note: see 'ane-compile --explain=C223'

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 27, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x32x64xf16>) -> tensor<1x128x32x64xf16> {
      %0 = ane.pad %x {mode = "reflect", pad = array<i64: 32, 32, 0, 0, 0, 0>} : (tensor<1x64x32x64xf16>) -> tensor<1x128x32x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x128x32x64xf16>
    }
  }
}

// -----

// CHECK: error: 'ane.pad' violates C223 coreml-pad on h16 (coreml, macOS 27): padded axis of constant: 0, must be the last three

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 27, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x32x64xf16>) -> tensor<2x64x32x64xf16> {
      %0 = ane.pad %x {pad = array<i64: 0, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x64x32x64xf16>) -> tensor<2x64x32x64xf16>
      return %0 : tensor<2x64x32x64xf16>
    }
  }
}
