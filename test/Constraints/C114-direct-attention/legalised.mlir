// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK-COUNT-3: ane.reduce_max
// CHECK-COUNT-3: ane.exp
// CHECK-COUNT-3: ane.matmul
// CHECK: twin {
// CHECK: ane.scaled_dot_product_attention

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 27, opset = ios16, strictness = catalog>} {
  func.func @main(%q: tensor<4x64x64xf32>, %k: tensor<4x600x64xf32>, %v: tensor<4x600x64xf32>) -> tensor<4x64x64xf32> {
    %0 = ane.matmul %q, %k {transpose_y = true} : (tensor<4x64x64xf32>, tensor<4x600x64xf32>) -> tensor<4x64x600xf32>
    %1 = ane.softmax %0 {axis = -1 : i64} : tensor<4x64x600xf32>
    %2 = ane.matmul %1, %v : (tensor<4x64x600xf32>, tensor<4x600x64xf32>) -> tensor<4x64x64xf32>
    return %2 : tensor<4x64x64xf32>
  }
}
