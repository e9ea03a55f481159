// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C63" 2>&1 | FileCheck %s

// CHECK: error: 'ane.max_pool' violates C63 conv-3d on h16 (in_memory, macOS 15): spatial axes: 3, limit 2
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-patches; a convolution becomes one over two axes
// CHECK: note: see 'ane-compile --explain=C63'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x8x8x32xf16>) -> tensor<1x4x8x8x32xf16> {
      %0 = ane.max_pool %x {kernel_sizes = array<i64: 1, 1, 1>, pad_type = "valid"} : (tensor<1x4x8x8x32xf16>) -> tensor<1x4x8x8x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x4x8x8x32xf16>
    }
  }
}
