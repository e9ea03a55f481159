// Gradients of normalisation: for each op, what is built of the loss's gradient (G) by its result.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_G:[a-z0-9]+]]: {{[^,]*}}"g"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reduce_mean %[[X]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[B:.*]] = ane.sub %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.abs %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.reduce_max %[[C]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[E:.*]] = ane.const dense<0.00316227763> : tensor<f32>
// CHECK-NEXT: %[[H:.*]] = ane.maximum %[[D]], %[[E]]
// CHECK-NEXT: %[[I:.*]] = ane.real_div %[[B]], %[[H]]
// CHECK-NEXT: %[[J:.*]] = ane.const dense<0.00316227763> : tensor<f32>
// CHECK-NEXT: %[[K:.*]] = ane.real_div %[[J]], %[[H]]
// CHECK-NEXT: %[[M:.*]] = ane.mul %[[I]], %[[I]]
// CHECK-NEXT: %[[N:.*]] = ane.reduce_mean %[[M]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[O:.*]] = ane.mul %[[K]], %[[K]]
// CHECK-NEXT: %[[P:.*]] = ane.add %[[N]], %[[O]]
// CHECK-NEXT: %[[Q:.*]] = ane.sqrt %[[P]]
// CHECK-NEXT: %[[R:.*]] = ane.real_div %[[I]], %[[Q]]
// CHECK-NEXT: %[[S:.*]] = ane.mul %[[Q]], %[[H]]
// CHECK-NEXT: %[[T:.*]] = ane.reshape %[[IN_G]] {shape = array<i64: 1, 1, 5>}
// CHECK-NEXT: %[[U:.*]] = ane.mul %[[G]], %[[T]]
// CHECK-NEXT: %[[V:.*]] = ane.mul %[[U]], %[[R]]
// CHECK-NEXT: %[[W:.*]] = ane.reduce_mean %[[V]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[Z:.*]] = ane.mul %[[R]], %[[W]]
// CHECK-NEXT: %[[A0:.*]] = ane.reduce_mean %[[U]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[A1:.*]] = ane.sub %[[U]], %[[A0]]
// CHECK-NEXT: %[[A2:.*]] = ane.sub %[[A1]], %[[Z]]
// CHECK-NEXT: %[[A3:.*]] = ane.real_div %[[A2]], %[[S]]
// CHECK-NEXT: %[[A4:.*]] = ane.mul %[[G]], %[[R]]
// CHECK-NEXT: %[[A5:.*]] = ane.reduce_sum %[[A4]] {axes = array<i64: 0, 1>, keep_dims = true}
// CHECK-NEXT: %[[A6:.*]] = ane.reshape %[[A5]] {shape = array<i64: 5>}
// CHECK-NEXT: %[[A7:.*]] = ane.reduce_sum %[[G]] {axes = array<i64: 0, 1>, keep_dims = true}
// CHECK-NEXT: %[[A8:.*]] = ane.reshape %[[A7]] {shape = array<i64: 5>}
// CHECK-NEXT: return %{{.*}}, %[[A6]], %[[A8]], %[[A3]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %g: tensor<5xf32> {ane.io_name = "g"},
                %k: tensor<5xf32> {ane.io_name = "k"}) -> tensor<f32> {
  %y = ane.layer_norm %x gamma %g beta %k {axes = array<i64: -1>} : (tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_G:[a-z0-9]+]]: {{[^,]*}}"g"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.add %[[IN_G]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.abs %[[X]]
// CHECK-NEXT: %[[D:.*]] = ane.reduce_max %[[C]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[E:.*]] = ane.const dense<0.44721359> : tensor<f32>
// CHECK-NEXT: %[[H:.*]] = ane.maximum %[[D]], %[[E]]
// CHECK-NEXT: %[[I:.*]] = ane.real_div %[[X]], %[[H]]
// CHECK-NEXT: %[[J:.*]] = ane.const dense<0.44721359> : tensor<f32>
// CHECK-NEXT: %[[K:.*]] = ane.real_div %[[J]], %[[H]]
// CHECK-NEXT: %[[M:.*]] = ane.mul %[[I]], %[[I]]
// CHECK-NEXT: %[[N:.*]] = ane.reduce_mean %[[M]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[O:.*]] = ane.mul %[[K]], %[[K]]
// CHECK-NEXT: %[[P:.*]] = ane.add %[[N]], %[[O]]
// CHECK-NEXT: %[[Q:.*]] = ane.sqrt %[[P]]
// CHECK-NEXT: %[[R:.*]] = ane.real_div %[[I]], %[[Q]]
// CHECK-NEXT: %[[S:.*]] = ane.mul %[[Q]], %[[H]]
// CHECK-NEXT: %[[T:.*]] = ane.reshape %[[B]] {shape = array<i64: 1, 1, 5>}
// CHECK-NEXT: %[[U:.*]] = ane.mul %[[G]], %[[T]]
// CHECK-NEXT: %[[V:.*]] = ane.mul %[[U]], %[[R]]
// CHECK-NEXT: %[[W:.*]] = ane.reduce_mean %[[V]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[Z:.*]] = ane.mul %[[R]], %[[W]]
// CHECK-NEXT: %[[A0:.*]] = ane.sub %[[U]], %[[Z]]
// CHECK-NEXT: %[[A1:.*]] = ane.real_div %[[A0]], %[[S]]
// CHECK-NEXT: %[[A2:.*]] = ane.mul %[[G]], %[[R]]
// CHECK-NEXT: %[[A3:.*]] = ane.reduce_sum %[[A2]] {axes = array<i64: 0, 1>, keep_dims = true}
// CHECK-NEXT: %[[A4:.*]] = ane.reshape %[[A3]] {shape = array<i64: 5>}
// CHECK-NEXT: return %{{.*}}, %[[A4]], %[[A1]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}, %g: tensor<5xf32> {ane.io_name = "g"}) -> tensor<f32> {
  %y = ane.rms_norm %x gamma %g {zero_centered = true, epsilon = 0.2 : f64} : (tensor<2x3x5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_M:[a-z0-9]+]]: {{[^,]*}}"m"{{.*}}%[[IN_V:[a-z0-9]+]]: {{[^,]*}}"v"{{.*}}%[[IN_G:[a-z0-9]+]]: {{[^,]*}}"g"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[IN_M]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: %[[B:.*]] = ane.reshape %[[IN_V]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: %[[C:.*]] = ane.const dense<9.99999974E-6> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.add %[[B]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.sqrt %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.sub %[[X]], %[[A]]
// CHECK-NEXT: %[[I:.*]] = ane.real_div %[[H]], %[[E]]
// CHECK-NEXT: %[[J:.*]] = ane.reshape %[[IN_G]] {shape = array<i64: 3, 1>}
// CHECK-NEXT: %[[K:.*]] = ane.mul %[[G]], %[[J]]
// CHECK-NEXT: %[[M:.*]] = ane.real_div %[[K]], %[[E]]
// CHECK-NEXT: %[[N:.*]] = ane.reduce_sum %[[M]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[O:.*]] = ane.reshape %[[N]] {shape = array<i64: 3>}
// CHECK-NEXT: %[[P:.*]] = ane.neg %[[O]]
// CHECK-NEXT: %[[Q:.*]] = ane.real_div %[[I]], %[[E]]
// CHECK-NEXT: %[[R:.*]] = ane.mul %[[M]], %[[Q]]
// CHECK-NEXT: %[[S:.*]] = ane.const dense<-5.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[T:.*]] = ane.mul %[[R]], %[[S]]
// CHECK-NEXT: %[[U:.*]] = ane.reduce_sum %[[T]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[V:.*]] = ane.reshape %[[U]] {shape = array<i64: 3>}
// CHECK-NEXT: %[[W:.*]] = ane.mul %[[G]], %[[I]]
// CHECK-NEXT: %[[Z:.*]] = ane.reduce_sum %[[W]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[A0:.*]] = ane.reshape %[[Z]] {shape = array<i64: 3>}
// CHECK-NEXT: %[[A1:.*]] = ane.reduce_sum %[[G]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[A2:.*]] = ane.reshape %[[A1]] {shape = array<i64: 3>}
// CHECK-NEXT: return %{{.*}}, %[[A0]], %[[A2]], %[[P]], %[[V]], %[[M]]
func.func @main(%x: tensor<2x3x4xf32> {ane.io_name = "x"}, %m: tensor<3xf32> {ane.io_name = "m"},
                %v: tensor<3xf32> {ane.io_name = "v"}, %g: tensor<3xf32> {ane.io_name = "g"}, %k: tensor<3xf32> {ane.io_name = "k"}) -> tensor<f32> {
  %y = ane.batch_norm %x, %m, %v gamma %g beta %k : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_G:[a-z0-9]+]]: {{[^,]*}}"g"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reduce_mean %[[X]] {axes = array<i64: 2, 3>, keep_dims = true}
// CHECK-NEXT: %[[B:.*]] = ane.sub %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.abs %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.reduce_max %[[C]] {axes = array<i64: 2, 3>, keep_dims = true}
// CHECK-NEXT: %[[E:.*]] = ane.const dense<0.00316227763> : tensor<f32>
// CHECK-NEXT: %[[H:.*]] = ane.maximum %[[D]], %[[E]]
// CHECK-NEXT: %[[I:.*]] = ane.real_div %[[B]], %[[H]]
// CHECK-NEXT: %[[J:.*]] = ane.const dense<0.00316227763> : tensor<f32>
// CHECK-NEXT: %[[K:.*]] = ane.real_div %[[J]], %[[H]]
// CHECK-NEXT: %[[M:.*]] = ane.mul %[[I]], %[[I]]
// CHECK-NEXT: %[[N:.*]] = ane.reduce_mean %[[M]] {axes = array<i64: 2, 3>, keep_dims = true}
// CHECK-NEXT: %[[O:.*]] = ane.mul %[[K]], %[[K]]
// CHECK-NEXT: %[[P:.*]] = ane.add %[[N]], %[[O]]
// CHECK-NEXT: %[[Q:.*]] = ane.sqrt %[[P]]
// CHECK-NEXT: %[[R:.*]] = ane.real_div %[[I]], %[[Q]]
// CHECK-NEXT: %[[S:.*]] = ane.mul %[[Q]], %[[H]]
// CHECK-NEXT: %[[T:.*]] = ane.reshape %[[IN_G]] {shape = array<i64: 3, 1, 1>}
// CHECK-NEXT: %[[U:.*]] = ane.mul %[[G]], %[[T]]
// CHECK-NEXT: %[[V:.*]] = ane.mul %[[U]], %[[R]]
// CHECK-NEXT: %[[W:.*]] = ane.reduce_mean %[[V]] {axes = array<i64: 2, 3>, keep_dims = true}
// CHECK-NEXT: %[[Z:.*]] = ane.mul %[[R]], %[[W]]
// CHECK-NEXT: %[[A0:.*]] = ane.reduce_mean %[[U]] {axes = array<i64: 2, 3>, keep_dims = true}
// CHECK-NEXT: %[[A1:.*]] = ane.sub %[[U]], %[[A0]]
// CHECK-NEXT: %[[A2:.*]] = ane.sub %[[A1]], %[[Z]]
// CHECK-NEXT: %[[A3:.*]] = ane.real_div %[[A2]], %[[S]]
// CHECK-NEXT: %[[A4:.*]] = ane.mul %[[G]], %[[R]]
// CHECK-NEXT: %[[A5:.*]] = ane.reduce_sum %[[A4]] {axes = array<i64: 0, 2, 3>, keep_dims = true}
// CHECK-NEXT: %[[A6:.*]] = ane.reshape %[[A5]] {shape = array<i64: 3>}
// CHECK-NEXT: %[[A7:.*]] = ane.reduce_sum %[[G]] {axes = array<i64: 0, 2, 3>, keep_dims = true}
// CHECK-NEXT: %[[A8:.*]] = ane.reshape %[[A7]] {shape = array<i64: 3>}
// CHECK-NEXT: return %{{.*}}, %[[A6]], %[[A8]], %[[A3]]
func.func @main(%x: tensor<2x3x4x2xf32> {ane.io_name = "x"}, %g: tensor<3xf32> {ane.io_name = "g"},
                %k: tensor<3xf32> {ane.io_name = "k"}) -> tensor<f32> {
  %y = ane.instance_norm %x gamma %g beta %k : (tensor<2x3x4x2xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x2xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x4x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[IN_G:[a-z0-9]+]]: {{[^,]*}}"g"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.reshape %[[X]] {shape = array<i64: 2, 2, 6>}
// CHECK-NEXT: %[[B:.*]] = ane.reduce_mean %[[A]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[C:.*]] = ane.sub %[[A]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.abs %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.reduce_max %[[D]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[H:.*]] = ane.const dense<0.00316227763> : tensor<f32>
// CHECK-NEXT: %[[I:.*]] = ane.maximum %[[E]], %[[H]]
// CHECK-NEXT: %[[J:.*]] = ane.real_div %[[C]], %[[I]]
// CHECK-NEXT: %[[K:.*]] = ane.const dense<0.00316227763> : tensor<f32>
// CHECK-NEXT: %[[M:.*]] = ane.real_div %[[K]], %[[I]]
// CHECK-NEXT: %[[N:.*]] = ane.mul %[[J]], %[[J]]
// CHECK-NEXT: %[[O:.*]] = ane.reduce_mean %[[N]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[P:.*]] = ane.mul %[[M]], %[[M]]
// CHECK-NEXT: %[[Q:.*]] = ane.add %[[O]], %[[P]]
// CHECK-NEXT: %[[R:.*]] = ane.sqrt %[[Q]]
// CHECK-NEXT: %[[S:.*]] = ane.real_div %[[J]], %[[R]]
// CHECK-NEXT: %[[T:.*]] = ane.mul %[[R]], %[[I]]
// CHECK-NEXT: %[[U:.*]] = ane.reshape %[[IN_G]] {shape = array<i64: 4, 1>}
// CHECK-NEXT: %[[V:.*]] = ane.mul %[[G]], %[[U]]
// CHECK-NEXT: %[[W:.*]] = ane.reshape %[[V]] {shape = array<i64: 2, 2, 6>}
// CHECK-NEXT: %[[Z:.*]] = ane.mul %[[W]], %[[S]]
// CHECK-NEXT: %[[A0:.*]] = ane.reduce_mean %[[Z]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[A1:.*]] = ane.mul %[[S]], %[[A0]]
// CHECK-NEXT: %[[A2:.*]] = ane.reduce_mean %[[W]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[A3:.*]] = ane.sub %[[W]], %[[A2]]
// CHECK-NEXT: %[[A4:.*]] = ane.sub %[[A3]], %[[A1]]
// CHECK-NEXT: %[[A5:.*]] = ane.real_div %[[A4]], %[[T]]
// CHECK-NEXT: %[[A6:.*]] = ane.reshape %[[A5]] {shape = array<i64: 2, 4, 3>}
// CHECK-NEXT: %[[A7:.*]] = ane.reshape %[[S]] {shape = array<i64: 2, 4, 3>}
// CHECK-NEXT: %[[A8:.*]] = ane.mul %[[G]], %[[A7]]
// CHECK-NEXT: %[[A9:.*]] = ane.reduce_sum %[[A8]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[A10:.*]] = ane.reshape %[[A9]] {shape = array<i64: 4>}
// CHECK-NEXT: %[[A11:.*]] = ane.reduce_sum %[[G]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-NEXT: %[[A12:.*]] = ane.reshape %[[A11]] {shape = array<i64: 4>}
// CHECK-NEXT: return %{{.*}}, %[[A10]], %[[A12]], %[[A6]]
func.func @main(%x: tensor<2x4x3xf32> {ane.io_name = "x"}, %g: tensor<4xf32> {ane.io_name = "g"},
                %k: tensor<4xf32> {ane.io_name = "k"}) -> tensor<f32> {
  %y = ane.group_norm %x gamma %g beta %k {num_groups = 2 : i64} : (tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.abs %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.reduce_max %[[A]] {axes = array<i64: 1, 2, 3>, keep_dims = true}
// CHECK-NEXT: %[[C:.*]] = ane.const dense<2.88675132E-4> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.maximum %[[B]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.real_div %[[X]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.const dense<2.88675132E-4> : tensor<f32>
// CHECK-NEXT: %[[I:.*]] = ane.real_div %[[H]], %[[D]]
// CHECK-NEXT: %[[J:.*]] = ane.mul %[[E]], %[[E]]
// CHECK-NEXT: %[[K:.*]] = ane.reduce_mean %[[J]] {axes = array<i64: 1, 2, 3>, keep_dims = true}
// CHECK-NEXT: %[[M:.*]] = ane.mul %[[I]], %[[I]]
// CHECK-NEXT: %[[N:.*]] = ane.add %[[K]], %[[M]]
// CHECK-NEXT: %[[O:.*]] = ane.sqrt %[[N]]
// CHECK-NEXT: %[[P:.*]] = ane.real_div %[[E]], %[[O]]
// CHECK-NEXT: %[[Q:.*]] = ane.mul %[[O]], %[[D]]
// CHECK-NEXT: %[[R:.*]] = ane.const dense<0.288675129> : tensor<f32>
// CHECK-NEXT: %[[S:.*]] = ane.mul %[[G]], %[[R]]
// CHECK-NEXT: %[[T:.*]] = ane.mul %[[S]], %[[P]]
// CHECK-NEXT: %[[U:.*]] = ane.reduce_mean %[[T]] {axes = array<i64: 1, 2, 3>, keep_dims = true}
// CHECK-NEXT: %[[V:.*]] = ane.mul %[[P]], %[[U]]
// CHECK-NEXT: %[[W:.*]] = ane.sub %[[S]], %[[V]]
// CHECK-NEXT: %[[Z:.*]] = ane.real_div %[[W]], %[[Q]]
// CHECK-NEXT: return %{{.*}}, %[[Z]]
func.func @main(%x: tensor<2x2x3x2xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.l2_norm %x : tensor<2x2x3x2xf32>
  %loss = ane.reduce_sum %y : (tensor<2x2x3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[Y:.*]] = ane.local_response_norm
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.mul %[[X]], %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.pad %[[A]] {pad = array<i64: 0, 0, 1, 1, 0, 0>}
// CHECK-NEXT: %[[C:.*]] = ane.slice_by_size %[[B]] {begin = array<i64: 0, 0, 0>, size = array<i64: 2, 5, 3>}
// CHECK-NEXT: %[[D:.*]] = ane.slice_by_size %[[B]] {begin = array<i64: 0, 1, 0>, size = array<i64: 2, 5, 3>}
// CHECK-NEXT: %[[E:.*]] = ane.add %[[C]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.slice_by_size %[[B]] {begin = array<i64: 0, 2, 0>, size = array<i64: 2, 5, 3>}
// CHECK-NEXT: %[[I:.*]] = ane.add %[[E]], %[[H]]
// CHECK-NEXT: %[[J:.*]] = ane.const dense<0.166666672> : tensor<f32>
// CHECK-NEXT: %[[K:.*]] = ane.mul %[[I]], %[[J]]
// CHECK-NEXT: %[[M:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[N:.*]] = ane.add %[[K]], %[[M]]
// CHECK-NEXT: %[[O:.*]] = ane.mul %[[G]], %[[Y]]
// CHECK-NEXT: %[[P:.*]] = ane.real_div %[[O]], %[[N]]
// CHECK-NEXT: %[[Q:.*]] = ane.pad %[[P]] {pad = array<i64: 0, 0, 1, 1, 0, 0>}
// CHECK-NEXT: %[[R:.*]] = ane.slice_by_size %[[Q]] {begin = array<i64: 0, 0, 0>, size = array<i64: 2, 5, 3>}
// CHECK-NEXT: %[[S:.*]] = ane.slice_by_size %[[Q]] {begin = array<i64: 0, 1, 0>, size = array<i64: 2, 5, 3>}
// CHECK-NEXT: %[[T:.*]] = ane.add %[[R]], %[[S]]
// CHECK-NEXT: %[[U:.*]] = ane.slice_by_size %[[Q]] {begin = array<i64: 0, 2, 0>, size = array<i64: 2, 5, 3>}
// CHECK-NEXT: %[[V:.*]] = ane.add %[[T]], %[[U]]
// CHECK-NEXT: %[[W:.*]] = ane.mul %[[X]], %[[V]]
// CHECK-NEXT: %[[Z:.*]] = ane.const dense<-2.500000e-01> : tensor<f32>
// CHECK-NEXT: %[[A0:.*]] = ane.mul %[[W]], %[[Z]]
// CHECK-NEXT: %[[A1:.*]] = ane.const dense<-7.500000e-01> : tensor<f32>
// CHECK-NEXT: %[[A2:.*]] = ane.pow %[[N]], %[[A1]]
// CHECK-NEXT: %[[A3:.*]] = ane.mul %[[G]], %[[A2]]
// CHECK-NEXT: %[[A4:.*]] = ane.add %[[A3]], %[[A0]]
// CHECK-NEXT: return %{{.*}}, %[[A4]]
func.func @main(%x: tensor<2x5x3xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.local_response_norm %x {size = 3 : i64, alpha = 0.5 : f64} : tensor<2x5x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x5x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
