// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// VALUES: %q = -1 .. 1 %k = -1 .. 1
// Attention fails to compile on M1, its parts do not.

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.scaled_dot_product_attention
// CHECK: ane.softmax
// CHECK-NOT: ane.scaled_dot_product_attention
// CHECK: twin {
// CHECK: ane.scaled_dot_product_attention

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%q: tensor<1x2x64x64xf32>, %k: tensor<1x2x64x64xf32>, %v: tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32> {
    %0 = ane.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32>
    return %0 : tensor<1x2x64x64xf32>
  }
}
