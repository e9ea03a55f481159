// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.linear' violates C17 linear-as-conv on h16 (in_memory, macOS 15): a linear, not a 1x1 convolution
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-linear; linear becomes conv
// CHECK: note: see 'ane-compile --explain=C17'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<64x384xf16>) -> tensor<64x384xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 294912> : tensor<384x384xf16>
      %0 = ane.linear %x, %w : (tensor<64x384xf16>, tensor<384x384xf16>) -> tensor<64x384xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<64x384xf16>
    }
  }
}
