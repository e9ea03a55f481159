// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.space_to_depth' violates C118 rearrange-factors on h16 (in_memory, macOS 15): factor: 5, must be one of 1, 2, 3, 4, 8
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-blocks; reshapes and transposes; blocks of the batch run on the CPU
// CHECK: note: see 'ane-compile --explain=C118'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x80x640xf16>) -> tensor<1x100x16x128xf16> {
      %0 = ane.space_to_depth %x {block_size = 5 : i64} : (tensor<1x4x80x640xf16>) -> tensor<1x100x16x128xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x100x16x128xf16>
    }
  }
}
