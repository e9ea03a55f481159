// Gradients of reductions: for each op, what is built of the loss's gradient (G) by its result.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[B:.*]] = ane.tile %[[A]] {reps = array<i64: 2, 1, 5>}
// CHECK-NEXT: return %{{.*}}, %[[B]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reduce_sum %x {axes = array<i64: 0, -1>} : (tensor<2x3x5xf32>) -> tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[B:.*]] = ane.const dense<1.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[A]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.tile %[[C]] {reps = array<i64: 2, 1, 5>}
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reduce_mean %x {axes = array<i64: 0, -1>} : (tensor<2x3x5xf32>) -> tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[Y:.*]] = ane.reduce_max
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[Y]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[B:.*]] = ane.equal %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.cast %[[B]] {dtype = "fp32"}
// CHECK-NEXT: %[[D:.*]] = ane.reshape %[[G]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[E:.*]] = ane.reduce_sum %[[C]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[H:.*]] = ane.real_div %[[D]], %[[E]]
// CHECK-NEXT: %[[I:.*]] = ane.mul %[[C]], %[[H]]
// CHECK-NEXT: return %{{.*}}, %[[I]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reduce_max %x {axes = array<i64: 0, -1>} : (tensor<2x3x5xf32>) -> tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[Y:.*]] = ane.reduce_min
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[Y]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[B:.*]] = ane.equal %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.cast %[[B]] {dtype = "fp32"}
// CHECK-NEXT: %[[D:.*]] = ane.reshape %[[G]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[E:.*]] = ane.reduce_sum %[[C]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[H:.*]] = ane.real_div %[[D]], %[[E]]
// CHECK-NEXT: %[[I:.*]] = ane.mul %[[C]], %[[H]]
// CHECK-NEXT: return %{{.*}}, %[[I]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reduce_min %x {axes = array<i64: 0, -1>} : (tensor<2x3x5xf32>) -> tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[A]], %[[X]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[B]], %[[C]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reduce_sum_square %x {axes = array<i64: 0, -1>} : (tensor<2x3x5xf32>) -> tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[B:.*]] = ane.sign %[[X]]
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[A]], %[[B]]
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reduce_l1_norm %x {axes = array<i64: 0, -1>} : (tensor<2x3x5xf32>) -> tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[Y:.*]] = ane.reduce_l2_norm
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[Y]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[B:.*]] = ane.real_div %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.equal %[[A]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.tile %[[D]] {reps = array<i64: 2, 1, 5>}
// CHECK-NEXT: %[[H:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[I:.*]] = ane.reshape %[[G]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[J:.*]] = ane.mul %[[I]], %[[B]]
// CHECK-NEXT: %[[K:.*]] = ane.select %[[E]], %[[H]], %[[J]]
// CHECK-NEXT: return %{{.*}}, %[[K]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reduce_l2_norm %x {axes = array<i64: 0, -1>} : (tensor<2x3x5xf32>) -> tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.reduce_log_sum
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[Y]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[C:.*]] = ane.neg %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.exp %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.mul %[[A]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.tile %[[E]] {reps = array<i64: 2, 1, 5>}
// CHECK-NEXT: return %{{.*}}, %[[H]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reduce_log_sum %x {axes = array<i64: 0, -1>} : (tensor<2x3x5xf32>) -> tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[Y:.*]] = ane.reduce_log_sum_exp
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[G]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[Y]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[C:.*]] = ane.sub %[[X]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.exp %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.mul %[[A]], %[[D]]
// CHECK-NEXT: return %{{.*}}, %[[E]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reduce_log_sum_exp %x {axes = array<i64: 0, -1>} : (tensor<2x3x5xf32>) -> tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.equal %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.select %[[B]], %[[C]], %[[X]]
// CHECK-NEXT: %[[E:.*]] = ane.reduce_prod %[[D]] {axes = array<i64: 0, -1>}
// CHECK-NEXT: %[[H:.*]] = ane.reshape %[[E]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[I:.*]] = ane.cast %[[B]] {dtype = "fp32"}
// CHECK-NEXT: %[[J:.*]] = ane.reduce_sum %[[I]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[K:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[M:.*]] = ane.equal %[[J]], %[[K]]
// CHECK-NEXT: %[[N:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[O:.*]] = ane.select %[[M]], %[[H]], %[[N]]
// CHECK-NEXT: %[[P:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[Q:.*]] = ane.equal %[[J]], %[[P]]
// CHECK-NEXT: %[[R:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[S:.*]] = ane.select %[[Q]], %[[H]], %[[R]]
// CHECK-NEXT: %[[T:.*]] = ane.real_div %[[S]], %[[D]]
// CHECK-NEXT: %[[U:.*]] = ane.reshape %[[G]] {shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: %[[V:.*]] = ane.select %[[B]], %[[O]], %[[T]]
// CHECK-NEXT: %[[W:.*]] = ane.mul %[[U]], %[[V]]
// CHECK-NEXT: return %{{.*}}, %[[W]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reduce_prod %x {axes = array<i64: 0, -1>} : (tensor<2x3x5xf32>) -> tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.cumsum %[[G]] {axis = 1 : i64, reverse = true}
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.cumsum %x {axis = 1 : i64, exclusive = false, reverse = false} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
