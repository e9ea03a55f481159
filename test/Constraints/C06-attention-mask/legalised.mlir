// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// REWRITE ERROR: 2e-4, because the scale 1 / sqrt 32 is an fp16 constant.

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.scaled_dot_product_attention
// CHECK: ane.matmul
// CHECK: ane.add
// CHECK: ane.softmax
// CHECK: ane.matmul
// CHECK-NOT: ane.scaled_dot_product_attention
// CHECK: twin {
// CHECK: ane.scaled_dot_product_attention

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%q: tensor<1x4x64x32xf32>, %m: tensor<1x1x64x64xf32>) -> tensor<1x4x64x32xf32> {
    %0 = ane.scaled_dot_product_attention %q, %q, %q mask %m : (tensor<1x4x64x32xf32>, tensor<1x4x64x32xf32>, tensor<1x4x64x32xf32>, tensor<1x1x64x64xf32>) -> tensor<1x4x64x32xf32>
    return %0 : tensor<1x4x64x32xf32>
  }
}
