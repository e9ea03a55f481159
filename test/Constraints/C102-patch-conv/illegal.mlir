// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.conv' violates C102 patch-conv on h16 (e5rt, macOS 15): kernel and stride: 2x2
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-patches; the patches become vectors, and the convolution a linear
// CHECK: note: see 'ane-compile --explain=C102'

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x64xf16>) -> tensor<1x64x32x32xf16> {
      %w = ane.const dense<0.5> : tensor<64x4x2x2xf16>
      %0 = ane.conv %x, %w {strides = array<i64: 2, 2>} : (tensor<1x4x64x64xf16>, tensor<64x4x2x2xf16>) -> tensor<1x64x32x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x32x32xf16>
    }
  }
}
