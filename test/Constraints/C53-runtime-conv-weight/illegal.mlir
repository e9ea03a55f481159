// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C53" 2>&1 | FileCheck %s

// CHECK: error: 'ane.conv' violates C53 runtime-conv-weight on h16 (in_memory, macOS 15): argument 'weight': a runtime value, must be a constant
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: a matmul where the kernel is 1x1
// CHECK: note: see 'ane-compile --explain=C53'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>, %w: tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.conv %x, %w {strides = array<i64: 1, 1>, pad_type = "valid", pad = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
