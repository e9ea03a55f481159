// Gradients of recurrent networks: the steps are computed anew, one after the other, and gradients flow back through them.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"{{.*}}%[[H:[a-z0-9]+]]: {{[^,]*}}"h"{{.*}}%[[W:[a-z0-9]+]]: {{[^,]*}}"w"{{.*}}%[[R:[a-z0-9]+]]: {{[^,]*}}"r"
// CHECK: ane.rnn
// CHECK: %[[ROWS:.*]] = ane.reshape %[[X]] {shape = array<i64: 4, 5>}
// CHECK: ane.linear %[[ROWS]], %[[W]]
// CHECK: ane.linear %[[H]], %[[R]]
// CHECK: %[[FIRST:.*]] = ane.tanh
// CHECK: ane.linear %[[FIRST]], %[[R]]
// CHECK: %[[LAST:.*]] = ane.tanh
// CHECK: %[[S:.*]] = ane.mul %[[LAST]], %[[LAST]]
// CHECK: %[[D:.*]] = ane.sub %{{.*}}, %[[S]]
// CHECK: %[[G:.*]] = ane.mul %{{.*}}, %[[D]]
// CHECK: %[[BACK:.*]] = ane.matmul %[[G]], %[[R]]
// CHECK: %[[R1:.*]] = ane.matmul %[[G]], %[[FIRST]] {transpose_x = true}
// CHECK: ane.mul %[[FIRST]], %[[FIRST]]
// CHECK: %[[G0:.*]] = ane.mul %[[BACK]],
// CHECK: %[[DH:.*]] = ane.matmul %[[G0]], %[[R]]
// CHECK: %[[R0:.*]] = ane.matmul %[[G0]], %[[H]] {transpose_x = true}
// CHECK: %[[DR:.*]] = ane.add %[[R1]], %[[R0]]
// CHECK: return %{{.*}}, %[[DH]], %[[DR]], %{{.*}}, %{{.*}}
func.func @main(%x: tensor<2x2x5xf32> {ane.io_name = "x"}, %h: tensor<2x3xf32> {ane.io_name = "h"},
                %w: tensor<3x5xf32> {ane.io_name = "w"}, %r: tensor<3x3xf32> {ane.io_name = "r"}) -> tensor<f32> {
  %y, %last = ane.rnn %x, %h, %w, %r : (tensor<2x2x5xf32>, tensor<2x3xf32>, tensor<3x5xf32>, tensor<3x3xf32>)
      -> (tensor<1x2x3xf32>, tensor<2x3xf32>)
  %loss = ane.reduce_sum %last : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// One step of two gates and a candidate.
// CHECK-LABEL: @main_gradients(
// CHECK: ane.gru
// CHECK-COUNT-2: ane.sigmoid
// CHECK: ane.tanh
// CHECK: ane.matmul
// CHECK-NOT: ane.gru
// CHECK: return
func.func @main(%x: tensor<1x2x5xf32> {ane.io_name = "x"}, %h: tensor<2x3xf32> {ane.io_name = "h"},
                %w: tensor<9x5xf32> {ane.io_name = "w"}, %r: tensor<9x3xf32> {ane.io_name = "r"}) -> tensor<f32> {
  %y, %last = ane.gru %x, %h, %w, %r : (tensor<1x2x5xf32>, tensor<2x3xf32>, tensor<9x5xf32>, tensor<9x3xf32>)
      -> (tensor<1x2x3xf32>, tensor<2x3xf32>)
  %loss = ane.reduce_sum %last : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: ane.lstm
// CHECK-COUNT-2: ane.sigmoid
// CHECK: %[[FRESH:.*]] = ane.tanh
// CHECK: %[[CELL:.*]] = ane.add
// CHECK: ane.sigmoid
// CHECK: ane.tanh %[[CELL]]
// CHECK-NOT: ane.lstm
// CHECK: return
func.func @main(%x: tensor<1x2x5xf32> {ane.io_name = "x"}, %h: tensor<2x3xf32> {ane.io_name = "h"},
                %w: tensor<12x5xf32> {ane.io_name = "w"}, %r: tensor<12x3xf32> {ane.io_name = "r"}) -> tensor<f32> {
  %y, %last, %cell = ane.lstm %x, %h, %h, %w, %r
      : (tensor<1x2x5xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<12x5xf32>, tensor<12x3xf32>)
      -> (tensor<1x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %loss = ane.reduce_sum %last : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
