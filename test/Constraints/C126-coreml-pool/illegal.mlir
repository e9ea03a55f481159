// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.max_pool' violates C126 coreml-pool on h16 (coreml, macOS 15): window: 14, limit 13
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it
// CHECK: note: see 'ane-compile --explain=C126'

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x64x64xf16>) -> tensor<1x64x26x64xf16> {
      %0 = ane.max_pool %x {kernel_sizes = array<i64: 14, 1>, strides = array<i64: 2, 1>, pad_type = "valid"} : (tensor<1x64x64x64xf16>) -> tensor<1x64x26x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x26x64xf16>
    }
  }
}
