// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.conv' violates C101 grouped-runtime-weight on h16 (e5rt, macOS 15): groups of a computed weight: 2, limit 1
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it
// CHECK: note: see 'ane-compile --explain=C101'

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x16x32xf16>, %w: tensor<64x32x1x1xf16>) -> tensor<1x64x16x32xf16> {
      %0 = ane.conv %x, %w {groups = 2 : i64} : (tensor<1x64x16x32xf16>, tensor<64x32x1x1xf16>) -> tensor<1x64x16x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x16x32xf16>
    }
  }
}
