// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.max_pool' violates C220 max-pool-width on h16 (in_memory, macOS 15): pool width: 9, limit 8
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-pools; several narrower pools, one behind the other, give the same
// CHECK: note: see 'ane-compile --explain=C220'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x64x64xf16>) -> tensor<1x64x64x56xf16> {
      %0 = ane.max_pool %x {kernel_sizes = array<i64: 1, 9>, pad_type = "valid"} : (tensor<1x64x64x64xf16>) -> tensor<1x64x64x56xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x64x56xf16>
    }
  }
}
