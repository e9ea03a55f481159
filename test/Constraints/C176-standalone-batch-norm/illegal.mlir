// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C176 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.batch_norm' meets C176 standalone-batch-norm on h16 (in_memory, macOS 15): better: folded into the convolution before it
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-fold-batch-norm, --ane-decompose-composites; folded into a convolution in the model's precision, else a product and a sum
// CHECK: note: see 'ane-compile --explain=C176'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %m = ane.const dense<0.5> : tensor<64xf16>
      %v = ane.const dense<2.0> : tensor<64xf16>
      %0 = ane.batch_norm %x, %m, %v : (tensor<1x64x1x64xf16>, tensor<64xf16>, tensor<64xf16>) -> tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
