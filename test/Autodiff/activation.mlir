// Gradients of activation functions: for each op, what is built of the loss's gradient (G) by its result.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.greater %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.select %[[B]], %[[G]], %[[C]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.relu %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.greater %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<6.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.less %[[X]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.logical_and %[[B]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[I:.*]] = ane.select %[[E]], %[[G]], %[[H]]
// CHECK-NEXT: return %{{.*}}, %[[I]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.relu6 %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.sigmoid
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.sub %[[A]], %[[Y]]
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[Y]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[G]], %[[C]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.sigmoid %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.sigmoid %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[G]], %[[A]]
// CHECK-NEXT: return %{{.*}}, %[[B]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.softplus %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.abs %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[C:.*]] = ane.add %[[A]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[C]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.real_div %[[G]], %[[D]]
// CHECK-NEXT: return %{{.*}}, %[[E]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.softsign %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.sigmoid %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[C:.*]] = ane.sub %[[B]], %[[A]]
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[X]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[H:.*]] = ane.add %[[D]], %[[E]]
// CHECK-NEXT: %[[I:.*]] = ane.mul %[[A]], %[[H]]
// CHECK-NEXT: %[[J:.*]] = ane.mul %[[G]], %[[I]]
// CHECK-NEXT: return %{{.*}}, %[[J]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.silu %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.707106769> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.erf %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[E:.*]] = ane.add %[[C]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.const dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[I:.*]] = ane.mul %[[E]], %[[H]]
// CHECK-NEXT: %[[J:.*]] = ane.mul %[[X]], %[[X]]
// CHECK-NEXT: %[[K:.*]] = ane.const dense<-5.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[M:.*]] = ane.mul %[[J]], %[[K]]
// CHECK-NEXT: %[[N:.*]] = ane.exp %[[M]]
// CHECK-NEXT: %[[O:.*]] = ane.const dense<0.398942292> : tensor<f32>
// CHECK-NEXT: %[[P:.*]] = ane.mul %[[N]], %[[O]]
// CHECK-NEXT: %[[Q:.*]] = ane.mul %[[X]], %[[P]]
// CHECK-NEXT: %[[R:.*]] = ane.add %[[Q]], %[[I]]
// CHECK-NEXT: %[[S:.*]] = ane.mul %[[G]], %[[R]]
// CHECK-NEXT: return %{{.*}}, %[[S]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.gelu %x {mode = "EXACT"} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.greater %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<1.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[G]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.select %[[B]], %[[G]], %[[D]]
// CHECK-NEXT: return %{{.*}}, %[[E]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.leaky_relu %x {alpha = 0.1 : f64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.minimum %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.exp %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[E:.*]] = ane.greater %[[X]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[I:.*]] = ane.const dense<0.699999988> : tensor<f32>
// CHECK-NEXT: %[[J:.*]] = ane.mul %[[C]], %[[I]]
// CHECK-NEXT: %[[K:.*]] = ane.select %[[E]], %[[H]], %[[J]]
// CHECK-NEXT: %[[M:.*]] = ane.mul %[[G]], %[[K]]
// CHECK-NEXT: return %{{.*}}, %[[M]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.elu %x {alpha = 0.7 : f64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<4.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.greater_equal %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.select %[[B]], %[[G]], %[[C]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.thresholded_relu %x {alpha = 0.4 : f64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[Y:.*]] = ane.clamped_relu
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.greater_equal %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.const dense<2.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[E:.*]] = ane.select %[[B]], %[[C]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.const dense<0.899999976> : tensor<f32>
// CHECK-NEXT: %[[I:.*]] = ane.less %[[Y]], %[[H]]
// CHECK-NEXT: %[[J:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[K:.*]] = ane.select %[[I]], %[[E]], %[[J]]
// CHECK-NEXT: %[[M:.*]] = ane.mul %[[G]], %[[K]]
// CHECK-NEXT: return %{{.*}}, %[[M]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.clamped_relu %x {alpha = 0.2 : f64, beta = 0.9 : f64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<1.500000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[G]], %[[A]]
// CHECK-NEXT: return %{{.*}}, %[[B]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.linear_activation %x {alpha = 1.5 : f64, beta = -0.3 : f64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<6.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.tanh %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[C]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[H:.*]] = ane.sub %[[E]], %[[D]]
// CHECK-NEXT: %[[I:.*]] = ane.const dense<1.020000e+00> : tensor<f32>
// CHECK-NEXT: %[[J:.*]] = ane.mul %[[H]], %[[I]]
// CHECK-NEXT: %[[K:.*]] = ane.mul %[[G]], %[[J]]
// CHECK-NEXT: return %{{.*}}, %[[K]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.scaled_tanh %x {alpha = 1.7 : f64, beta = 0.6 : f64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.sigmoid_hard
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.greater %[[Y]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.less %[[Y]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.logical_and %[[B]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[I:.*]] = ane.const dense<4.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[J:.*]] = ane.mul %[[G]], %[[I]]
// CHECK-NEXT: %[[K:.*]] = ane.select %[[E]], %[[J]], %[[H]]
// CHECK-NEXT: return %{{.*}}, %[[K]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.sigmoid_hard %x {alpha = 0.4 : f64, beta = 0.5 : f64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.333333343> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.add %[[B]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.const dense<-3.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[H:.*]] = ane.greater %[[X]], %[[E]]
// CHECK-NEXT: %[[I:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[J:.*]] = ane.select %[[H]], %[[D]], %[[I]]
// CHECK-NEXT: %[[K:.*]] = ane.const dense<3.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[M:.*]] = ane.less %[[X]], %[[K]]
// CHECK-NEXT: %[[N:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[O:.*]] = ane.select %[[M]], %[[J]], %[[N]]
// CHECK-NEXT: %[[P:.*]] = ane.mul %[[G]], %[[O]]
// CHECK-NEXT: return %{{.*}}, %[[P]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.hard_swish %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.softplus %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.tanh %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[B]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[E:.*]] = ane.sub %[[D]], %[[C]]
// CHECK-NEXT: %[[H:.*]] = ane.mul %[[X]], %[[E]]
// CHECK-NEXT: %[[I:.*]] = ane.sigmoid %[[X]]
// CHECK-NEXT: %[[J:.*]] = ane.mul %[[H]], %[[I]]
// CHECK-NEXT: %[[K:.*]] = ane.add %[[J]], %[[B]]
// CHECK-NEXT: %[[M:.*]] = ane.mul %[[G]], %[[K]]
// CHECK-NEXT: return %{{.*}}, %[[M]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.mish %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_A:[a-z0-9]+]]: {{[^,]*}}"a"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.greater %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.reshape %[[IN_A]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[G]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.select %[[B]], %[[G]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[I:.*]] = ane.mul %[[G]], %[[X]]
// CHECK-NEXT: %[[J:.*]] = ane.select %[[B]], %[[H]], %[[I]]
// CHECK-NEXT: %[[K:.*]] = ane.reduce_sum %[[J]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[M:.*]] = ane.reshape %[[K]] {shape = array<i64: 3>}
// CHECK-NEXT: return %{{.*}}, %[[M]], %[[E]]
func.func @main(%x: tensor<2x3x4xf32> {ane.io_name = "x"}, %a: tensor<3xf32> {ane.io_name = "a"}) -> tensor<f32> {
  %y = ane.prelu %x, %a : tensor<2x3x4xf32>, tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_A:[a-z0-9]+]]: {{[^,]*}}"a"{{.*}}%[[IN_K:[a-z0-9]+]]: {{[^,]*}}"k"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[IN_A]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[IN_K]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[X]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[G]], %[[A]]
// CHECK-NEXT: %[[E:.*]] = ane.sigmoid %[[C]]
// CHECK-NEXT: %[[H:.*]] = ane.mul %[[D]], %[[E]]
// CHECK-NEXT: %[[I:.*]] = ane.mul %[[H]], %[[B]]
// CHECK-NEXT: %[[J:.*]] = ane.softplus %[[C]]
// CHECK-NEXT: %[[K:.*]] = ane.mul %[[G]], %[[J]]
// CHECK-NEXT: %[[M:.*]] = ane.reduce_sum %[[K]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[N:.*]] = ane.reshape %[[M]] {shape = array<i64: 3>}
// CHECK-NEXT: %[[O:.*]] = ane.mul %[[H]], %[[X]]
// CHECK-NEXT: %[[P:.*]] = ane.reduce_sum %[[O]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[Q:.*]] = ane.reshape %[[P]] {shape = array<i64: 3>}
// CHECK-NEXT: return %{{.*}}, %[[N]], %[[Q]], %[[I]]
func.func @main(%x: tensor<2x3x4xf32> {ane.io_name = "x"}, %a: tensor<3xf32> {ane.io_name = "a"},
                %k: tensor<3xf32> {ane.io_name = "k"}) -> tensor<f32> {
  %y = ane.softplus_parametric %x, %a, %k : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.softmax
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.mul %[[G]], %[[Y]]
// CHECK-NEXT: %[[B:.*]] = ane.reduce_sum %[[A]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[Y]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.sub %[[A]], %[[C]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.softmax %x {axis = -1 : i64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.log_softmax
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.exp %[[Y]]
// CHECK-NEXT: %[[B:.*]] = ane.reduce_sum %[[G]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[A]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.sub %[[G]], %[[C]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.log_softmax %x {axis = -1 : i64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
