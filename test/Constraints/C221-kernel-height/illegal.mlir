// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.conv' violates C221 kernel-height on h16 (in_memory, macOS 15): kernel height: 32, limit 31
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-patches; a sum of convolutions with parts of the kernel
// CHECK: note: see 'ane-compile --explain=C221'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x64x64xf16>) -> tensor<1x32x33x64xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 131072> : tensor<32x64x32x1xf16>
      %0 = ane.conv %x, %w {strides = array<i64: 1, 1>, pad_type = "valid", pad = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x64x64xf16>, tensor<32x64x32x1xf16>) -> tensor<1x32x33x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x32x33x64xf16>
    }
  }
}

// -----

// CHECK: error: 'ane.conv' violates C221 kernel-height on h13 (in_memory, macOS 15): kernel height: 30, limit 29

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x64x64xf16>) -> tensor<1x32x35x64xf16> {
      %w = ane.const #ane.weight<"w.bin", 0, 122880> : tensor<32x64x30x1xf16>
      %0 = ane.conv %x, %w {strides = array<i64: 1, 1>, pad_type = "valid", pad = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x64x64xf16>, tensor<32x64x30x1xf16>) -> tensor<1x32x35x64xf16>
      return %0 : tensor<1x32x35x64xf16>
    }
  }
}
