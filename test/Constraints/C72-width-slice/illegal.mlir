// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.slice_by_size' violates C72 width-slice on h13 (in_memory, macOS 15): begins at 32 of the last axis, and values may exceed 4094
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-slices; the slice is taken along another axis, between two transposes
// CHECK: note: see 'ane-compile --explain=C72'

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x32xf16> {
      %0 = ane.slice_by_size %x {begin = array<i64: 0, 0, 0, 32>, size = array<i64: 1, 64, 1, 32>} : (tensor<1x64x1x64xf16>) -> tensor<1x64x1x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x32xf16>
    }
  }
}
