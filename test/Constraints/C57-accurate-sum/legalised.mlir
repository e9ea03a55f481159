// RUN: ane-opt %s --split-input-file --ane-to-legal --ane-verify-legal="advice=true" 2>&1 | FileCheck %s
// VALUES: %x = 0.5 .. 1.5 %y = -2000 .. 3000
// REWRITE ERROR: 5e-4, because what is left of a mean's factor when powers of two are divided off is rounded to fp16

// The sum of a long axis is a product with halves, doubled.
// CHECK-NOT: C57
// CHECK-LABEL: @sum
// CHECK: engine {
// CHECK: ane.conv
// CHECK-NOT: ane.reduce_sum
// CHECK: twin {
// CHECK: ane.reduce_sum

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @sum(%x: tensor<1x64x2048xf32>) -> tensor<1x64x1xf32> {
    %0 = ane.reduce_sum %x {axes = array<i64: 2>, keep_dims = true} : (tensor<1x64x2048xf32>) -> tensor<1x64x1xf32>
    return %0 : tensor<1x64x1xf32>
  }
}

// -----

// The channels of an image stay where they are.
// CHECK-NOT: C57
// CHECK-LABEL: @channels
// CHECK: engine {
// CHECK-NOT: ane.transpose
// CHECK: ane.conv
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @channels(%y: tensor<1x512x8x32xf32>) -> tensor<1x1x8x32xf32> {
    %0 = ane.reduce_mean %y {axes = array<i64: 1>, keep_dims = true} : (tensor<1x512x8x32xf32>) -> tensor<1x1x8x32xf32>
    return %0 : tensor<1x1x8x32xf32>
  }
}

// -----

// Short axes are added one after the other.
// CHECK-NOT: C57
// CHECK-LABEL: @image
// CHECK: engine {
// CHECK-COUNT-2: ane.reduce_sum
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @image(%y: tensor<1x64x40x96xf32>) -> tensor<1x64xf32> {
    %0 = ane.reduce_mean %y {axes = array<i64: 2, 3>} : (tensor<1x64x40x96xf32>) -> tensor<1x64xf32>
    return %0 : tensor<1x64xf32>
  }
}
