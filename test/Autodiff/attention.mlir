// Gradients of attention and rotary embeddings: for each op, what is built of the loss's gradient (G) by its result.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_Q:[a-z0-9]+]]: {{[^,]*}}"q"{{.*}}%[[IN_K:[a-z0-9]+]]: {{[^,]*}}"k"{{.*}}%[[IN_V:[a-z0-9]+]]: {{[^,]*}}"v"
// CHECK: %[[Y:.*]] = ane.scaled_dot_product_attention
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[IN_Q]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.matmul %[[B]], %[[IN_K]] {transpose_y = true}
// CHECK-NEXT: %[[D:.*]] = ane.softmax %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.matmul %[[D]], %[[G]] {transpose_x = true}
// CHECK-NEXT: %[[H:.*]] = ane.mul %[[G]], %[[Y]]
// CHECK-NEXT: %[[I:.*]] = ane.reduce_sum %[[H]] {axes = array<i64: 3>, keep_dims = true}
// CHECK-NEXT: %[[J:.*]] = ane.matmul %[[G]], %[[IN_V]] {transpose_y = true}
// CHECK-NEXT: %[[K:.*]] = ane.sub %[[J]], %[[I]]
// CHECK-NEXT: %[[M:.*]] = ane.mul %[[D]], %[[K]]
// CHECK-NEXT: %[[N:.*]] = ane.matmul %[[M]], %[[IN_K]]
// CHECK-NEXT: %[[O:.*]] = ane.const dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[P:.*]] = ane.mul %[[N]], %[[O]]
// CHECK-NEXT: %[[Q:.*]] = ane.matmul %[[M]], %[[B]] {transpose_x = true}
// CHECK-NEXT: return %{{.*}}, %[[Q]], %[[P]], %[[E]]
func.func @main(%q: tensor<2x2x3x4xf32> {ane.io_name = "q"}, %k: tensor<2x2x5x4xf32> {ane.io_name = "k"},
                %v: tensor<2x2x5x3xf32> {ane.io_name = "v"}) -> tensor<f32> {
  %y = ane.scaled_dot_product_attention %q, %k, %v : (tensor<2x2x3x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x3xf32>) -> tensor<2x2x3x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x2x3x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[F1:.*]] = ane.cos
// CHECK: %[[F2:.*]] = ane.sin
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.neg %[[F2]]
// CHECK-NEXT: %[[B:.*]] = ane.rope %[[G]], %[[F1]], %[[A]]
// CHECK-NEXT: return %{{.*}}, %[[B]]
func.func @main(%x: tensor<2x3x4xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %t = ane.const dense<0.5> : tensor<3x2xf32>
  %c = ane.cos %t : tensor<3x2xf32>
  %s = ane.sin %t : tensor<3x2xf32>
  %y = ane.rope %x, %c, %s {layout = "half"} : tensor<2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
