// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.matmul' violates C222 product-axis on h16 (in_memory, macOS 15): axis that is summed: 32800, limit 32768
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-depth; a sum of products with parts of that axis
// CHECK: note: see 'ane-compile --explain=C222'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x1x64x32800xf16>, %y: tensor<1x1x64x32800xf16>) -> tensor<1x1x64x64xf16> {
      %0 = ane.matmul %x, %y {transpose_y = true} : (tensor<1x1x64x32800xf16>, tensor<1x1x64x32800xf16>) -> tensor<1x1x64x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x1x64x64xf16>
    }
  }
}
