// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.matmul' violates C91 transposed-operands on h16 (e5rt, macOS 15): both operands are transposed by ops of their own
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-neighbours; a transpose of the last two axes becomes a flag; else a product with a constant of full shape stands between
// CHECK: note: see 'ane-compile --explain=C91'

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x64xf16>, %y: tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> {
      %0 = ane.transpose %x {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16>
      %1 = ane.transpose %y {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16>
      %2 = ane.matmul %0, %1 : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %2 : tensor<1x4x64x64xf16>
    }
  }
}
