// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C73" 2>&1 | FileCheck %s

// CHECK: error: 'ane.concat' violates C73 width-slice-concat on h13 (e5rt, macOS 15): slices that begin inside the last axis: 2, limit 1
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-slices; the slices are taken along another axis, between two transposes
// CHECK: note: see 'ane-compile --explain=C73'

module attributes {ane.target = #ane.target<chip = "h13", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %s = ane.sigmoid %x : tensor<1x64x1x64xf16>
      %0 = ane.slice_by_size %s {begin = array<i64: 0, 0, 0, 32>, size = array<i64: 1, 64, 1, 32>} : (tensor<1x64x1x64xf16>) -> tensor<1x64x1x32xf16>
      %1 = ane.slice_by_size %s {begin = array<i64: 0, 0, 0, 16>, size = array<i64: 1, 64, 1, 32>} : (tensor<1x64x1x64xf16>) -> tensor<1x64x1x32xf16>
      %2 = ane.concat %0, %1 {axis = 3 : i64} : (tensor<1x64x1x32xf16>, tensor<1x64x1x32xf16>) -> tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %2 : tensor<1x64x1x64xf16>
    }
  }
}
