// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: engine {
// CHECK-COUNT-2: ane.conv {{.*}}tensor<8x8x16x1xf16>
// CHECK-NOT: ane.conv
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x8x40x32xf32>) -> tensor<1x8x41x32xf32> {
    %w = ane.const dense<0.25> : tensor<8x8x32x1xf32>
    %b = ane.const dense<0.5> : tensor<8xf32>
    %0 = ane.conv %x, %w bias %b {pad = array<i64: 16, 16, 0, 0>, pad_type = "custom"} : (tensor<1x8x40x32xf32>, tensor<8x8x32x1xf32>, tensor<8xf32>) -> tensor<1x8x41x32xf32>
    return %0 : tensor<1x8x41x32xf32>
  }

  // Too high and too wide, dilated along one axis.
  // CHECK-LABEL: func.func @both
  // CHECK: engine {
  // CHECK-COUNT-6: ane.conv
  // CHECK-NOT: ane.conv
  // CHECK: twin {
  func.func @both(%x: tensor<1x4x100x50xf32>) -> tensor<1x4x34x33xf32> {
    %w = ane.const dense<0.125> : tensor<4x4x34x33xf32>
    %0 = ane.conv %x, %w {dilations = array<i64: 2, 1>, pad = array<i64: 0, 0, 8, 7>, pad_type = "custom"} : (tensor<1x4x100x50xf32>, tensor<4x4x34x33xf32>) -> tensor<1x4x34x33xf32>
    return %0 : tensor<1x4x34x33xf32>
  }
}
