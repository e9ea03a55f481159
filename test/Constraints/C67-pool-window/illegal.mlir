// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.avg_pool' violates C67 pool-window on h16 (in_memory, macOS 15): window: 32, limit 31
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it
// CHECK: note: see 'ane-compile --explain=C67'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x64x64xf16>) -> tensor<1x64x33x64xf16> {
      %0 = ane.avg_pool %x {kernel_sizes = array<i64: 32, 1>, pad_type = "valid"} : (tensor<1x64x64x64xf16>) -> tensor<1x64x33x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x33x64xf16>
    }
  }
}
