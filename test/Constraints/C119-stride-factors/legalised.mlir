// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.conv {{.*}}tensor<64x100x1x1xf16>
// CHECK: twin {
// CHECK: ane.conv {{.*}}strides = array<i64: 5, 5>

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x4x60x60xf32>) -> tensor<1x64x12x12xf32> {
    %w = ane.const dense<0.5> : tensor<64x4x5x5xf32>
    %0 = ane.conv %x, %w {strides = array<i64: 5, 5>} : (tensor<1x4x60x60xf32>, tensor<64x4x5x5xf32>) -> tensor<1x64x12x12xf32>
    return %0 : tensor<1x64x12x12xf32>
  }

  // The first convolution of wav2vec 2.0 overlaps: blocks of 5 become channels, and the kernel two blocks.
  // CHECK-LABEL: func.func @overlapping
  // CHECK: engine {
  // CHECK: ane.conv {{.*}}tensor<16x10x2xf16>
  // CHECK: twin {
  func.func @overlapping(%x: tensor<1x2x403xf32>) -> tensor<1x16x79xf32> {
    %w = ane.const dense<1.0> : tensor<16x2x10xf32>
    %0 = ane.conv %x, %w {strides = array<i64: 5>} : (tensor<1x2x403xf32>, tensor<16x2x10xf32>) -> tensor<1x16x79xf32>
    return %0 : tensor<1x16x79xf32>
  }

  // Along an axis with one window there is no stride.
  // CHECK-LABEL: func.func @once
  // CHECK: engine {
  // CHECK: ane.conv {{.*}}strides = array<i64: 1, 1>{{.*}} tensor<8x8x3x3xf16>
  // CHECK: twin {
  func.func @once(%x: tensor<1x8x40x40xf32>) -> tensor<1x8x38x1xf32> {
    %w = ane.const dense<0.25> : tensor<8x8x3x3xf32>
    %0 = ane.conv %x, %w {strides = array<i64: 1, 1000000007>, pad_type = "custom", pad = array<i64: 0, 0, 1, 0>} : (tensor<1x8x40x40xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x38x1xf32>
    return %0 : tensor<1x8x38x1xf32>
  }
}
