// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.matmul' violates C77 accumulator-range on h16 (in_memory, macOS 15): result: 32768 or beyond, limit 32752
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it where that is certain; elsewhere a program whose outputs are not finite is evaluated again on the CPU
// CHECK: note: see 'ane-compile --explain=C77'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x64xf16>) -> tensor<1x64x64xf16> {
      // The next number of fp16 above the bound: 64 products of 16 * 32.
      %a = ane.clip %x {alpha = 16.0, beta = 20.0} : tensor<1x64x64xf16>
      %b = ane.clip %x {alpha = 32.0, beta = 40.0} : tensor<1x64x64xf16>
      %0 = ane.matmul %a, %b : (tensor<1x64x64xf16>, tensor<1x64x64xf16>) -> tensor<1x64x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x64xf16>
    }
  }
}
