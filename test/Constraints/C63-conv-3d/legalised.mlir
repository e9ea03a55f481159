// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// Depth becomes channels: three taps, padded and strided, in groups; and patches of a video.
// CHECK-LABEL: func.func @main
// CHECK: engine {
// CHECK: ane.conv {{.*}}groups = 2{{.*}}tensor<4x12x9x10xf16>, tensor<6x6x3x3xf16>
// CHECK: twin {
// CHECK-LABEL: func.func @patches
// CHECK: engine {
// CHECK: ane.conv
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x4x7x9x10xf32>) -> tensor<1x6x4x9x10xf32> {
    %w = ane.const dense<1.0> : tensor<6x2x3x3x3xf32>
    %b = ane.const dense<0.5> : tensor<6xf32>
    %0 = ane.conv %x, %w bias %b {groups = 2 : i64, pad = array<i64: 1, 1, 1, 1, 1, 1>, pad_type = "custom", strides = array<i64: 2, 1, 1>} : (tensor<1x4x7x9x10xf32>, tensor<6x2x3x3x3xf32>, tensor<6xf32>) -> tensor<1x6x4x9x10xf32>
    return %0 : tensor<1x6x4x9x10xf32>
  }
  func.func @patches(%x: tensor<2x3x4x32x32xf32>) -> tensor<2x32x2x4x4xf32> {
    %w = ane.const dense<1.0> : tensor<32x3x2x8x8xf32>
    %0 = ane.conv %x, %w {strides = array<i64: 2, 8, 8>} : (tensor<2x3x4x32x32xf32>, tensor<32x3x2x8x8xf32>) -> tensor<2x32x2x4x4xf32>
    return %0 : tensor<2x32x2x4x4xf32>
  }
}
