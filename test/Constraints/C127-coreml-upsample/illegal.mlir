// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.upsample_nearest_neighbor' violates C127 coreml-upsample on h16 (coreml, macOS 15): extent after resizing: 3, limit 2
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU resizes; two steps do the same
// CHECK: note: see 'ane-compile --explain=C127'

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x32xf16>) -> tensor<1x64x3x32xf16> {
      %0 = ane.upsample_nearest_neighbor %x {scale_factor_height = 3 : i64, scale_factor_width = 1 : i64} : (tensor<1x64x1x32xf16>) -> tensor<1x64x3x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x3x32xf16>
    }
  }
}
