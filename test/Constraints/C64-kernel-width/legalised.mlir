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
}
