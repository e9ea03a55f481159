// RUN: not ane-opt %s --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.matmul' violates C192 product-rank on h17s (e5rt, macOS 26): rank of operand 'x': 5, limit 4
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-rank, --ane-lower-relayouts; batch axes are merged
// CHECK: note: see 'ane-compile --explain=C192'
// CHECK: error: 'ane.transpose' violates C192 product-rank

module attributes {ane.target = #ane.target<chip = "h17s", route = e5rt, os = 26, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x2x3x32x64xf16>, %y: tensor<1x2x3x64x32xf16>) -> tensor<1x2x32x3x32xf16> {
      %0 = ane.matmul %x, %y : (tensor<1x2x3x32x64xf16>, tensor<1x2x3x64x32xf16>) -> tensor<1x2x3x32x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      %1 = ane.transpose %0 {perm = array<i64: 0, 1, 3, 2, 4>} : (tensor<1x2x3x32x32xf16>) -> tensor<1x2x32x3x32xf16>
      return %1 : tensor<1x2x32x3x32xf16>
    }
  }
}
