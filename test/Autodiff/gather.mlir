// Gradients of indexing and ordering: for each op, what is built of the loss's gradient (G) by its result.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_I:[a-z0-9]+]]: {{[^,]*}}"i"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.fill %[[A]] {shape = array<i64: 2, 3, 5>} : (tensor<f32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[C:.*]] = ane.scatter %[[B]], %[[IN_I]], %[[G]] {axis = 1 : i64}
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %i: tensor<2x2xi64> {ane.io_name = "i"}) -> tensor<f32> {
  %y = ane.gather %x, %i {axis = 1 : i64} : (tensor<2x3x5xf32>, tensor<2x2xi64>) -> tensor<2x2x2x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x2x2x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_I:[a-z0-9]+]]: {{[^,]*}}"i"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.fill %[[A]] {shape = array<i64: 2, 3>} : (tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[C:.*]] = ane.scatter_along_axis %[[B]], %[[IN_I]], %[[G]] {axis = 1 : i64}
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3xf32> {ane.io_name = "x"}, %i: tensor<2x4xi64> {ane.io_name = "i"}) -> tensor<f32> {
  %y = ane.gather_along_axis %x, %i {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xi64>) -> tensor<2x4xf32>
  %loss = ane.reduce_sum %y : (tensor<2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_I:[a-z0-9]+]]: {{[^,]*}}"i"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.fill %[[A]] {shape = array<i64: 2, 3, 5>} : (tensor<f32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[C:.*]] = ane.scatter_nd %[[B]], %[[IN_I]], %[[G]]
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %i: tensor<3x2xi64> {ane.io_name = "i"}) -> tensor<f32> {
  %y = ane.gather_nd %x, %i : (tensor<2x3x5xf32>, tensor<3x2xi64>) -> tensor<3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_I:[a-z0-9]+]]: {{[^,]*}}"i"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.fill %[[A]] {shape = array<i64: 5, 4>} : (tensor<f32>) -> tensor<5x4xf32>
// CHECK-NEXT: %[[C:.*]] = ane.scatter %[[B]], %[[IN_I]], %[[G]]
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<5x4xf32> {ane.io_name = "x"}, %i: tensor<2x3xi64> {ane.io_name = "i"}) -> tensor<f32> {
  %y = ane.embedding %i, %x : (tensor<2x3xi64>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A table that is also the weight of the logits: what is gathered is added to a part of the gradient that is known.
// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_I:[a-z0-9]+]]: {{[^,]*}}"i"
// CHECK: %[[G:.*]] = ane.tile
// CHECK: %[[ROWS:.*]] = ane.matmul
// CHECK: %[[KNOWN:.*]] = ane.matmul
// CHECK-NEXT: %[[C:.*]] = ane.scatter %[[KNOWN]], %[[IN_I]], %[[ROWS]]
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<5x4xf32> {ane.io_name = "x"}, %i: tensor<3xi64> {ane.io_name = "i"}) -> tensor<f32> {
  %y = ane.embedding %i, %x : (tensor<3xi64>, tensor<5x4xf32>) -> tensor<3x4xf32>
  %z = ane.linear %y, %x : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %loss = ane.reduce_sum %z : (tensor<3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_I:[a-z0-9]+]]: {{[^,]*}}"i"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.gather %[[G]], %[[IN_I]] {axis = 1 : i64}
// CHECK-NEXT: return %{{.*}}, %[[A]], %[[G]]
func.func @main(%x: tensor<2x4x3xf32> {ane.io_name = "x"}, %u: tensor<2x2x3xf32> {ane.io_name = "u"},
                %i: tensor<2xi64> {ane.io_name = "i"}) -> tensor<f32> {
  %y = ane.scatter %x, %i, %u {axis = 1 : i64, mode = "add"} : tensor<2x4x3xf32>, tensor<2xi64>, tensor<2x2x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_I:[a-z0-9]+]]: {{[^,]*}}"i"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.gather_along_axis %[[G]], %[[IN_I]] {axis = 1 : i64}
// CHECK-NEXT: return %{{.*}}, %[[A]], %[[G]]
func.func @main(%x: tensor<2x4xf32> {ane.io_name = "x"}, %u: tensor<2x2xf32> {ane.io_name = "u"},
                %i: tensor<2x2xi64> {ane.io_name = "i"}) -> tensor<f32> {
  %y = ane.scatter_along_axis %x, %i, %u {axis = 1 : i64, mode = "add"} : tensor<2x4xf32>, tensor<2x2xi64>, tensor<2x2xf32>
  %loss = ane.reduce_sum %y : (tensor<2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_I:[a-z0-9]+]]: {{[^,]*}}"i"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.gather_nd %[[G]], %[[IN_I]]
// CHECK-NEXT: return %{{.*}}, %[[A]], %[[G]]
func.func @main(%x: tensor<2x4x3xf32> {ane.io_name = "x"}, %u: tensor<2x3xf32> {ane.io_name = "u"},
                %i: tensor<2x2xi64> {ane.io_name = "i"}) -> tensor<f32> {
  %y = ane.scatter_nd %x, %i, %u {mode = "add"} : tensor<2x4x3xf32>, tensor<2x2xi64>, tensor<2x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_I:[a-z0-9]+]]: {{[^,]*}}"i"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[C:.*]] = ane.one_hot %[[IN_I]] on %[[A]] off %[[B]] {axis = 1 : i64, one_hot_vector_size = 4 : i64}
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[G]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.reduce_sum %[[D]] {axes = array<i64: 0, 1>, keep_dims = true}
// CHECK-NEXT: %[[H:.*]] = ane.reshape %[[E]] {shape = array<i64>}
// CHECK-NEXT: %[[I:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[J:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[K:.*]] = ane.one_hot %[[IN_I]] on %[[I]] off %[[J]] {axis = 1 : i64, one_hot_vector_size = 4 : i64}
// CHECK-NEXT: %[[M:.*]] = ane.mul %[[G]], %[[K]]
// CHECK-NEXT: %[[N:.*]] = ane.reduce_sum %[[M]] {axes = array<i64: 0, 1>, keep_dims = true}
// CHECK-NEXT: %[[O:.*]] = ane.reshape %[[N]] {shape = array<i64>}
// CHECK-NEXT: return %{{.*}}, %[[H]], %[[O]]
func.func @main(%x: tensor<f32> {ane.io_name = "x"}, %z: tensor<f32> {ane.io_name = "z"},
                %i: tensor<3xi64> {ane.io_name = "i"}) -> tensor<f32> {
  %y = ane.one_hot %i on %x off %z {one_hot_vector_size = 4 : i64} : (tensor<3xi64>, tensor<f32>, tensor<f32>) -> tensor<3x4xf32>
  %loss = ane.reduce_sum %y : (tensor<3x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.fill %[[A]] {shape = array<i64: 3, 5>} : (tensor<f32>) -> tensor<3x5xf32>
// CHECK-NEXT: %[[C:.*]] = ane.scatter_along_axis %[[B]], %{{.*}}, %[[G]] {axis = 1 : i64}
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y, %n = ane.topk %x {k = 2 : i64, axis = 1 : i64} : (tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %loss = ane.reduce_sum %y : (tensor<3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
