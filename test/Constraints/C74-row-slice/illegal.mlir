// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.slice_by_size' violates C74 row-slice on h16 (e5rt, macOS 15): keeps one row of 128
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-slices; a product with a row that has a single 1
// CHECK: note: see 'ane-compile --explain=C74'

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x128x64xf16>) -> tensor<1x1x64xf16> {
      %0 = ane.slice_by_size %x {begin = array<i64: 0, 0, 0>, size = array<i64: 1, 1, 64>} : (tensor<1x128x64xf16>) -> tensor<1x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x1x64xf16>
    }
  }
}
