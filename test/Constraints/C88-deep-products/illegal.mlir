// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C88 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.matmul' meets C88 deep-products on h16 (in_memory, macOS 15): elements summed: 2080, limit 2048
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: accepted: the error is reported
// CHECK: note: see 'ane-compile --explain=C88'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x1x64x2080xf16>, %y: tensor<1x1x2080x64xf16>) -> tensor<1x1x64x64xf16> {
      %0 = ane.matmul %x, %y : (tensor<1x1x64x2080xf16>, tensor<1x1x2080x64xf16>) -> tensor<1x1x64x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x1x64x64xf16>
    }
  }
}
