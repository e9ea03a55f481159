// RUN: not ane-opt %s --ane-verify-legal="only=C108" 2>&1 | FileCheck %s

// CHECK: error: 'ane.matmul' violates C108 product-inputs on h15 (in_memory, macOS 15): operand 'x': the result of 'ane.relu'
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the product runs on the CPU
// CHECK: note: see 'ane-compile --explain=C108'

module attributes {ane.keep = ["C108"], ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x64xf16>, %y: tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> {
      %a = ane.relu %x : tensor<1x4x64x64xf16>
      %0 = ane.matmul %a, %y : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x4x64x64xf16>
    }
  }
}
