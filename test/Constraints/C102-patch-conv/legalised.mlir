// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.conv {{.*}}tensor<64x16x1x1xf16>
// CHECK: twin {
// CHECK: ane.conv {{.*}}strides = array<i64: 2, 2>

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x4x64x64xf32>) -> tensor<1x64x32x32xf32> {
    %w = ane.const dense<0.5> : tensor<64x4x2x2xf32>
    %0 = ane.conv %x, %w {strides = array<i64: 2, 2>} : (tensor<1x4x64x64xf32>, tensor<64x4x2x2xf32>) -> tensor<1x64x32x32xf32>
    return %0 : tensor<1x64x32x32xf32>
  }
}
