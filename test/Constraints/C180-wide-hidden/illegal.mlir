// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C180 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.conv' meets C180 wide-hidden on h16 (in_memory, macOS 15): input channels: 5120, limit 5119
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: accepted: a split would change the sums
// CHECK: note: see 'ane-compile --explain=C180'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x5120x1x32xf16>) -> tensor<1x64x1x32xf16> {
      %w = ane.const dense<0.5> : tensor<64x5120x1x1xf16>
      %0 = ane.conv %x, %w : (tensor<1x5120x1x32xf16>, tensor<64x5120x1x1xf16>) -> tensor<1x64x1x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x32xf16>
    }
  }
}
