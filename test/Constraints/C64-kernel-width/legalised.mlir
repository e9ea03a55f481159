// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: engine {
// CHECK: ane.conv {{.*}} tensor<64x768x1x1xf16>
// CHECK: twin {
// CHECK: ane.conv {{.*}} tensor<64x3x16x16xf32>

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x3x128x128xf32>) -> tensor<1x64x8x8xf32> {
    %w = ane.const dense<1.0> : tensor<64x3x16x16xf32>
    %0 = ane.conv %x, %w {strides = array<i64: 16, 16>} : (tensor<1x3x128x128xf32>, tensor<64x3x16x16xf32>) -> tensor<1x64x8x8xf32>
    return %0 : tensor<1x64x8x8xf32>
  }

  // A wide kernel is a sum of narrower ones.
  // CHECK-LABEL: func.func @wide
  // CHECK: engine {
  // CHECK-COUNT-3: ane.conv
  // CHECK: twin {
  func.func @wide(%x: tensor<1x8x50xf32>) -> tensor<1x8x51xf32> {
    %w = ane.const dense<1.0> : tensor<8x4x32xf32>
    %b = ane.const dense<0.5> : tensor<8xf32>
    %0 = ane.conv %x, %w bias %b {groups = 2 : i64, pad = array<i64: 16, 16>, pad_type = "custom"} : (tensor<1x8x50xf32>, tensor<8x4x32xf32>, tensor<8xf32>) -> tensor<1x8x51xf32>
    return %0 : tensor<1x8x51xf32>
  }

  // A strided one sees blocks, the last of which is not whole.
  // CHECK-LABEL: func.func @strided
  // CHECK: engine {
  // CHECK: ane.conv {{.*}}tensor<16x48x3x3xf16>
  // CHECK: twin {
  func.func @strided(%x: tensor<1x3x64x61xf32>) -> tensor<1x16x15x14xf32> {
    %w = ane.const dense<1.0> : tensor<16x3x11x11xf32>
    %0 = ane.conv %x, %w {pad = array<i64: 2, 2, 2, 2>, pad_type = "custom", strides = array<i64: 4, 4>} : (tensor<1x3x64x61xf32>, tensor<16x3x11x11xf32>) -> tensor<1x16x15x14xf32>
    return %0 : tensor<1x16x15x14xf32>
  }
}
