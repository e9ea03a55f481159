// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C109" 2>&1 | FileCheck %s

// CHECK: error: 'ane.matmul' violates C109 product-depth on h13 (in_memory, macOS 15): axis that is summed: 65, must be a multiple of 32
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-attention; both operands are padded with zeros
// CHECK: note: see 'ane-compile --explain=C109'

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x1x64x65xf16>, %y: tensor<1x1x65x64xf16>) -> tensor<1x1x64x64xf16> {
      %0 = ane.matmul %x, %y : (tensor<1x1x64x65xf16>, tensor<1x1x65x64xf16>) -> tensor<1x1x64x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x1x64x64xf16>
    }
  }
}
