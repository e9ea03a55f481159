// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.conv' violates C100 runtime-weight-batch on h16 (e5rt, macOS 15): batch beside a computed weight: 2, limit 1
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it; on the in-memory route C53 rules out all computed weights
// CHECK: note: see 'ane-compile --explain=C100'

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<2x64x16x32xf16>, %w: tensor<64x64x1x1xf16>) -> tensor<2x64x16x32xf16> {
      %0 = ane.conv %x, %w : (tensor<2x64x16x32xf16>, tensor<64x64x1x1xf16>) -> tensor<2x64x16x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<2x64x16x32xf16>
    }
  }
}
