// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: block_shape [2, 2] with crops [0, 0, 0, 0] does not fit x [3, 64, 16, 32]
// CHECK: error: 'ane.batch_to_space' op failed to infer returned types

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<3x64x16x32xf16>) -> tensor<1x64x32x64xf16> {
      %0 = ane.batch_to_space %x {block_shape = array<i64: 2, 2>, crops = array<i64: 0, 0, 0, 0>} : (tensor<3x64x16x32xf16>) -> tensor<1x64x32x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x32x64xf16>
    }
  }
}
