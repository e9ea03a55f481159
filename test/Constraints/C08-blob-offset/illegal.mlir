// RUN: not ane-opt %s --split-input-file --ane-verify-legal="emittable=true only=C08" 2>&1 | FileCheck %s
// 128 is where the data of the first record begins.

// CHECK: error: procedure '@main_0::@main' violates C08 blob-offset on h16 (in_memory, macOS 15): offset in 'weights/main_0.bin': 128, must be at least 8320, the end of the record at 64
// CHECK: note: remedy: --ane-assign-blobs; sentinel, type, size
// CHECK: note: see 'ane-compile --explain=C08'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %w = ane.blob "weights/main_0.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<1.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %v = ane.blob "weights/main_0.bin" at 128 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<2.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %0 = ane.conv %x, %w {strides = array<i64: 1, 1>, pad_type = "valid", pad = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %1 = ane.conv %0, %v {strides = array<i64: 1, 1>, pad_type = "valid", pad = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      return %1 : tensor<1x64x1x64xf16>
    }
  }
}

// -----

// CHECK: error: 'ane.blob' op offset 8330 is no record of a blob file

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %w = ane.blob "weights/main_0.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<1.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %v = ane.blob "weights/main_0.bin" at 8330 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<2.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %0 = ane.conv %x, %w {strides = array<i64: 1, 1>, pad_type = "valid", pad = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %1 = ane.conv %0, %v {strides = array<i64: 1, 1>, pad_type = "valid", pad = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      return %1 : tensor<1x64x1x64xf16>
    }
  }
}
