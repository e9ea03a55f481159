// Gradients of pooling: for each op, what is built of the loss's gradient (G) by its result.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[Y:.*]] = ane.max_pool
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.pad %[[X]] {constant_val = 0xFFF0000000000000 : f64, pad = array<i64: 0, 1>}
// CHECK-NEXT: %[[B:.*]] = ane.slice_by_index %[[A]] {begin = array<i64: 0, 0, 0>, end = array<i64: 2, 2, 7>, stride = array<i64: 1, 1, 2>}
// CHECK-NEXT: %[[C:.*]] = ane.equal %[[B]], %[[Y]]
// CHECK-NEXT: %[[D:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[E:.*]] = ane.select %[[C]], %[[G]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.reshape %[[E]] {shape = array<i64: 2, 1, 2, 1, 4, 1>}
// CHECK-NEXT: %[[I:.*]] = ane.pad %[[H]] {pad = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1>}
// CHECK-NEXT: %[[J:.*]] = ane.reshape %[[I]] {shape = array<i64: 2, 2, 8>}
// CHECK-NEXT: %[[K:.*]] = ane.slice_by_size %[[J]] {begin = array<i64: 0, 0, 0>, size = array<i64: 2, 2, 7>}
// CHECK-NEXT: %[[M:.*]] = ane.pad %[[K]] {pad = array<i64: 0, 0, 0, 0, 0, 1>}
// CHECK-NEXT: %[[N:.*]] = ane.logical_not %[[C]]
// CHECK-NEXT: %[[O:.*]] = ane.slice_by_index %[[A]] {begin = array<i64: 0, 0, 1>, end = array<i64: 2, 2, 8>, stride = array<i64: 1, 1, 2>}
// CHECK-NEXT: %[[P:.*]] = ane.equal %[[O]], %[[Y]]
// CHECK-NEXT: %[[Q:.*]] = ane.logical_and %[[P]], %[[N]]
// CHECK-NEXT: %[[R:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[S:.*]] = ane.select %[[Q]], %[[G]], %[[R]]
// CHECK-NEXT: %[[T:.*]] = ane.reshape %[[S]] {shape = array<i64: 2, 1, 2, 1, 4, 1>}
// CHECK-NEXT: %[[U:.*]] = ane.pad %[[T]] {pad = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1>}
// CHECK-NEXT: %[[V:.*]] = ane.reshape %[[U]] {shape = array<i64: 2, 2, 8>}
// CHECK-NEXT: %[[W:.*]] = ane.slice_by_size %[[V]] {begin = array<i64: 0, 0, 0>, size = array<i64: 2, 2, 7>}
// CHECK-NEXT: %[[Z:.*]] = ane.pad %[[W]] {pad = array<i64: 0, 0, 0, 0, 1, 0>}
// CHECK-NEXT: %[[A0:.*]] = ane.add %[[M]], %[[Z]]
// CHECK-NEXT: %[[A1:.*]] = ane.slice_by_size %[[A0]] {begin = array<i64: 0, 0, 0>, size = array<i64: 2, 2, 7>}
// CHECK-NEXT: return %{{.*}}, %[[A1]]
func.func @main(%x: tensor<2x2x7xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.max_pool %x {kernel_sizes = array<i64: 2>, strides = array<i64: 2>, pad_type = "valid", ceil_mode = true} : (tensor<2x2x7xf32>) -> tensor<2x2x4xf32>
  %loss = ane.reduce_sum %y : (tensor<2x2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<{{\[\[}}{{\[\[}}2.000000e+00], [3.000000e+00], [2.000000e+00]]]]> : tensor<1x1x3x1xf32>
// CHECK-NEXT: %[[B:.*]] = ane.real_div %[[G]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<{{\[\[}}{{\[\[}}2.000000e+00, 3.000000e+00, 3.000000e+00]]]]> : tensor<1x1x1x3xf32>
// CHECK-NEXT: %[[D:.*]] = ane.real_div %[[B]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.reshape %[[D]] {shape = array<i64: 2, 1, 3, 3>}
// CHECK-NEXT: %[[H:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[I:.*]] = ane.fill %[[H]] {shape = array<i64: 1, 1, 3, 3>} : (tensor<f32>) -> tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[J:.*]] = ane.conv_transpose %[[E]], %[[I]] {dilations = array<i64: 1, 1>, output_shape = array<i64: 2, 1, 5, 6>, pad = array<i64: 1, 1, 1, 0>, pad_type = "custom", strides = array<i64: 2, 2>}
// CHECK-NEXT: %[[K:.*]] = ane.reshape %[[J]] {shape = array<i64: 1, 2, 5, 6>}
// CHECK-NEXT: return %{{.*}}, %[[K]]
func.func @main(%x: tensor<1x2x5x6xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.avg_pool %x {kernel_sizes = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_type = "custom", pad = array<i64: 1, 1, 1, 1>, exclude_padding_from_average = true} : (tensor<1x2x5x6xf32>) -> tensor<1x2x3x3xf32>
  %loss = ane.reduce_sum %y : (tensor<1x2x3x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[Y:.*]] = ane.l2_pool
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.equal %[[Y]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.real_div %[[G]], %[[Y]]
// CHECK-NEXT: %[[E:.*]] = ane.select %[[B]], %[[C]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.reshape %[[E]] {shape = array<i64: 2, 1, 2, 3>}
// CHECK-NEXT: %[[I:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[J:.*]] = ane.fill %[[I]] {shape = array<i64: 1, 1, 2, 2>} : (tensor<f32>) -> tensor<1x1x2x2xf32>
// CHECK-NEXT: %[[K:.*]] = ane.conv_transpose %[[H]], %[[J]] {dilations = array<i64: 1, 1>, output_shape = array<i64: 2, 1, 5, 4>, pad = array<i64: 0, 0, 0, 0>, pad_type = "custom", strides = array<i64: 2, 1>}
// CHECK-NEXT: %[[M:.*]] = ane.reshape %[[K]] {shape = array<i64: 1, 2, 5, 4>}
// CHECK-NEXT: %[[N:.*]] = ane.mul %[[X]], %[[M]]
// CHECK-NEXT: return %{{.*}}, %[[N]]
func.func @main(%x: tensor<1x2x5x4xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.l2_pool %x {kernel_sizes = array<i64: 2, 2>, strides = array<i64: 2, 1>, pad_type = "valid"} : (tensor<1x2x5x4xf32>) -> tensor<1x2x2x3xf32>
  %loss = ane.reduce_sum %y : (tensor<1x2x2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
