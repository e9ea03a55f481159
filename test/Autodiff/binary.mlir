// Gradients of element-wise arithmetic of more operands: for each op, what is built of the loss's gradient (G) by its result.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reduce_sum %[[G]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[A]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: return %{{.*}}, %[[G]], %[[B]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %z: tensor<3x1xf32> {ane.io_name = "z"}) -> tensor<f32> {
  %y = ane.add %x, %z : tensor<2x3x5xf32>, tensor<3x1xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.neg %[[G]]
// CHECK-NEXT: %[[B:.*]] = ane.reduce_sum %[[A]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[C:.*]] = ane.reshape %[[B]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: return %{{.*}}, %[[G]], %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %z: tensor<3x1xf32> {ane.io_name = "z"}) -> tensor<f32> {
  %y = ane.sub %x, %z : tensor<2x3x5xf32>, tensor<3x1xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_Z:[a-z0-9]+]]: {{[^,]*}}"z"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.mul %[[G]], %[[IN_Z]]
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[G]], %[[X]]
// CHECK-NEXT: %[[C:.*]] = ane.reduce_sum %[[B]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[D:.*]] = ane.reshape %[[C]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: return %{{.*}}, %[[A]], %[[D]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %z: tensor<3x1xf32> {ane.io_name = "z"}) -> tensor<f32> {
  %y = ane.mul %x, %z : tensor<2x3x5xf32>, tensor<3x1xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_Z:[a-z0-9]+]]: {{[^,]*}}"z"
// CHECK: %[[Y:.*]] = ane.real_div
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.real_div %[[G]], %[[IN_Z]]
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[A]], %[[Y]]
// CHECK-NEXT: %[[C:.*]] = ane.neg %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.reduce_sum %[[C]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[E:.*]] = ane.reshape %[[D]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: return %{{.*}}, %[[A]], %[[E]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %z: tensor<3x1xf32> {ane.io_name = "z"}) -> tensor<f32> {
  %y = ane.real_div %x, %z : tensor<2x3x5xf32>, tensor<3x1xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_Z:[a-z0-9]+]]: {{[^,]*}}"z"
// CHECK: %[[Y:.*]] = ane.pow
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<-1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.add %[[IN_Z]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.pow %[[X]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[IN_Z]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[H:.*]] = ane.equal %[[IN_Z]], %[[E]]
// CHECK-NEXT: %[[I:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[J:.*]] = ane.fill %[[I]] {shape = array<i64: 2, 3, 5>} : (tensor<f32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[K:.*]] = ane.select %[[H]], %[[J]], %[[D]]
// CHECK-NEXT: %[[M:.*]] = ane.mul %[[G]], %[[K]]
// CHECK-NEXT: %[[N:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[O:.*]] = ane.equal %[[X]], %[[N]]
// CHECK-NEXT: %[[P:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[Q:.*]] = ane.greater_equal %[[IN_Z]], %[[P]]
// CHECK-NEXT: %[[R:.*]] = ane.logical_and %[[O]], %[[Q]]
// CHECK-NEXT: %[[S:.*]] = ane.log %[[X]] {epsilon = 0.000000e+00 : f64}
// CHECK-NEXT: %[[T:.*]] = ane.mul %[[Y]], %[[S]]
// CHECK-NEXT: %[[U:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V:.*]] = ane.fill %[[U]] {shape = array<i64: 2, 3, 5>} : (tensor<f32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[W:.*]] = ane.select %[[R]], %[[V]], %[[T]]
// CHECK-NEXT: %[[Z:.*]] = ane.mul %[[G]], %[[W]]
// CHECK-NEXT: %[[A0:.*]] = ane.reduce_sum %[[Z]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[A1:.*]] = ane.reshape %[[A0]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: return %{{.*}}, %[[M]], %[[A1]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %z: tensor<3x1xf32> {ane.io_name = "z"}) -> tensor<f32> {
  %y = ane.pow %x, %z : tensor<2x3x5xf32>, tensor<3x1xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_Z:[a-z0-9]+]]: {{[^,]*}}"z"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.floor_div %[[X]], %[[IN_Z]]
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[G]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.neg %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.reduce_sum %[[C]] {axes = array<i64: 0>, keep_dims = true}
// CHECK-NEXT: %[[E:.*]] = ane.reshape %[[D]] {shape = array<i64: 3>}
// CHECK-NEXT: return %{{.*}}, %[[G]], %[[E]]
func.func @main(%x: tensor<2x3xf32> {ane.io_name = "x"}, %z: tensor<3xf32> {ane.io_name = "z"}) -> tensor<f32> {
  %y = ane.mod %x, %z : tensor<2x3xf32>, tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_Z:[a-z0-9]+]]: {{[^,]*}}"z"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.equal %[[X]], %[[IN_Z]]
// CHECK-NEXT: %[[B:.*]] = ane.const dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[G]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[E:.*]] = ane.select %[[A]], %[[C]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.greater %[[X]], %[[IN_Z]]
// CHECK-NEXT: %[[I:.*]] = ane.select %[[H]], %[[G]], %[[E]]
// CHECK-NEXT: %[[J:.*]] = ane.greater %[[IN_Z]], %[[X]]
// CHECK-NEXT: %[[K:.*]] = ane.select %[[J]], %[[G]], %[[E]]
// CHECK-NEXT: %[[M:.*]] = ane.reduce_sum %[[K]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[N:.*]] = ane.reshape %[[M]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: return %{{.*}}, %[[I]], %[[N]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %z: tensor<3x1xf32> {ane.io_name = "z"}) -> tensor<f32> {
  %y = ane.maximum %x, %z : tensor<2x3x5xf32>, tensor<3x1xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_Z:[a-z0-9]+]]: {{[^,]*}}"z"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.equal %[[X]], %[[IN_Z]]
// CHECK-NEXT: %[[B:.*]] = ane.const dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[G]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[E:.*]] = ane.select %[[A]], %[[C]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.less %[[X]], %[[IN_Z]]
// CHECK-NEXT: %[[I:.*]] = ane.select %[[H]], %[[G]], %[[E]]
// CHECK-NEXT: %[[J:.*]] = ane.less %[[IN_Z]], %[[X]]
// CHECK-NEXT: %[[K:.*]] = ane.select %[[J]], %[[G]], %[[E]]
// CHECK-NEXT: %[[M:.*]] = ane.reduce_sum %[[K]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[N:.*]] = ane.reshape %[[M]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: return %{{.*}}, %[[I]], %[[N]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %z: tensor<3x1xf32> {ane.io_name = "z"}) -> tensor<f32> {
  %y = ane.minimum %x, %z : tensor<2x3x5xf32>, tensor<3x1xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[IN_C:[a-z0-9]+]]: {{[^,]*}}"c"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.select %[[IN_C]], %[[G]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.select %[[IN_C]], %[[C]], %[[G]]
// CHECK-NEXT: %[[E:.*]] = ane.reduce_sum %[[D]] {axes = array<i64: 0>, keep_dims = true}
// CHECK-NEXT: %[[H:.*]] = ane.reshape %[[E]] {shape = array<i64: 3>}
// CHECK-NEXT: return %{{.*}}, %[[B]], %[[H]]
func.func @main(%x: tensor<4x3xf32> {ane.io_name = "x"}, %z: tensor<3xf32> {ane.io_name = "z"},
                %c: tensor<4x1xi1> {ane.io_name = "c"}) -> tensor<f32> {
  %y = ane.select %c, %x, %z : tensor<4x1xi1>, tensor<4x3xf32>, tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// At a bound, which is one number, the gradient passes.
// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NOT: 5.000000e-01
// CHECK: %[[A:.*]] = ane.equal %[[X]], %[[BOUND:.*]] :
// CHECK-NOT: 5.000000e-01
// CHECK: return
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %bound = ane.const dense<1.0> : tensor<f32>
  %y = ane.minimum %x, %bound : tensor<2x3x5xf32>, tensor<f32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
