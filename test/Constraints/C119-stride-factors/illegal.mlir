// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.max_pool' violates C119 stride-factors on h16 (in_memory, macOS 15): stride: 5, must be a product of 2, 3, 4 and 8
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-patches; a kernel that is its stride becomes a linear, others count blocks
// CHECK: note: see 'ane-compile --explain=C119'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x30x64xf16>) -> tensor<1x64x6x64xf16> {
      %0 = ane.max_pool %x {kernel_sizes = array<i64: 5, 1>, strides = array<i64: 5, 1>, pad_type = "valid"} : (tensor<1x64x30x64xf16>) -> tensor<1x64x6x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x6x64xf16>
    }
  }
}
