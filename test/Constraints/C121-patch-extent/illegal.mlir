// RUN: not ane-opt %s --ane-verify-legal="only=C121" 2>&1 | FileCheck %s

// CHECK: error: 'ane.conv' violates C121 patch-extent on h16 (in_memory, macOS 15): extent of the window: 32, limit 31
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the op runs on the CPU; widths of kernels are bounded by C64, windows of pools by C102
// CHECK: note: see 'ane-compile --explain=C121'

module attributes {ane.keep = ["C121"], ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x8x128x64xf16>) -> tensor<1x8x97x64xf16> {
      %w = ane.const dense<1.0> : tensor<8x8x32x1xf16>
      %0 = ane.conv %x, %w {pad_type = "valid"} : (tensor<1x8x128x64xf16>, tensor<8x8x32x1xf16>) -> tensor<1x8x97x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x8x97x64xf16>
    }
  }
}
