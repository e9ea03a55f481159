// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s
// 15 columns on M4, 13 on M1.

// CHECK: error: 'ane.conv' violates C64 kernel-width on h16 (in_memory, macOS 15): kernel width: 16, limit 15
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-patches; a kernel that is its stride becomes a linear
// CHECK: note: see 'ane-compile --explain=C64'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x32x1x64xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 65536> : tensor<32x64x1x16xf16>
      %0 = ane.conv %x, %w {strides = array<i64: 1, 1>, pad_type = "custom", pad = array<i64: 0, 0, 7, 8>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x1x64xf16>, tensor<32x64x1x16xf16>) -> tensor<1x32x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x32x1x64xf16>
    }
  }
}

// -----

// CHECK: error: 'ane.conv' violates C64 kernel-width on h13 (in_memory, macOS 15): kernel width: 14, limit 13

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x32x1x64xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 57344> : tensor<32x64x1x14xf16>
      %0 = ane.conv %x, %w {strides = array<i64: 1, 1>, pad_type = "custom", pad = array<i64: 0, 0, 6, 7>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x1x64xf16>, tensor<32x64x1x14xf16>) -> tensor<1x32x1x64xf16>
      return %0 : tensor<1x32x1x64xf16>
    }
  }
}
