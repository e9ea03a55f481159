// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// A product over joined channels is a sum of products.
// CHECK-LABEL: func.func @product
// CHECK: engine {
// CHECK-NOT: ane.concat
// CHECK: ane.conv
// CHECK: ane.conv
// CHECK: ane.add
// CHECK: twin {
// CHECK: ane.concat

// Rows and columns are padded.
// CHECK-LABEL: func.func @width
// CHECK: engine {
// CHECK: ane.pad
// CHECK: ane.pad
// CHECK: ane.add
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @product(%x: tensor<1x64x8x32xf32>, %y: tensor<1x32x8x32xf32>) -> tensor<1x64x8x32xf32> {
    %w = ane.const dense<1.0> : tensor<64x96x1x1xf32>
    %0 = ane.concat %x, %y {axis = 1 : i64} : (tensor<1x64x8x32xf32>, tensor<1x32x8x32xf32>) -> tensor<1x96x8x32xf32>
    %1 = ane.conv %0, %w : (tensor<1x96x8x32xf32>, tensor<64x96x1x1xf32>) -> tensor<1x64x8x32xf32>
    return %1 : tensor<1x64x8x32xf32>
  }
  func.func @width(%x: tensor<1x64x8x32xf32>, %y: tensor<1x64x8x32xf32>) -> tensor<1x64x8x64xf32> {
    %0 = ane.concat %x, %y {axis = -1 : i64} : (tensor<1x64x8x32xf32>, tensor<1x64x8x32xf32>) -> tensor<1x64x8x64xf32>
    return %0 : tensor<1x64x8x64xf32>
  }
}
