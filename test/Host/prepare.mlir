// Ops that have no kernel are written with ops that have one.
// RUN: ane-opt %s --ane-host-prepare | FileCheck %s

// What follows a product is an op of its own, which joins the product's kernel.
// CHECK-LABEL: @bias
// CHECK: %[[P:.*]] = ane.linear %{{.*}}, %{{.*}} :
// CHECK: ane.add %[[P]], %{{.*}}
func.func @bias(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = ane.linear %x, %w bias %b : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @padding
// CHECK: %[[P:.*]] = ane.pad %{{.*}} {pad = array<i64: 1, 1, 1, 1>}
// CHECK: ane.conv %[[P]], %{{.*}} :
func.func @padding(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %w = ane.const dense<0.5> : tensor<3x2x3x3xf32>
  %0 = ane.conv %x, %w {pad_type = "same"} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// CHECK-LABEL: @shuffle
// CHECK: ane.reshape %{{.*}} {shape = array<i64: 1, 2, 2, 2, 2, 2>}
// CHECK: ane.transpose %{{.*}} {perm = array<i64: 0, 3, 4, 1, 5, 2>}
// CHECK: ane.reshape %{{.*}} {shape = array<i64: 1, 2, 4, 4>}
func.func @shuffle(%x: tensor<1x8x2x2xf32>) -> tensor<1x2x4x4xf32> {
  %0 = ane.depth_to_space %x {block_size = 2 : i64} : (tensor<1x8x2x2xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @channels
// CHECK: %[[A:.*]] = ane.reshape %{{.*}} {shape = array<i64: 1, 2, 1>}
// CHECK: %[[N:.*]] = ane.minimum
// CHECK: %[[P:.*]] = ane.relu
// CHECK: %[[S:.*]] = ane.mul %[[N]], %[[A]]
// CHECK: ane.add %[[P]], %[[S]]
func.func @channels(%x: tensor<1x2x3xf32>, %a: tensor<2xf32>) -> tensor<1x2x3xf32> {
  %0 = ane.prelu %x, %a : tensor<1x2x3xf32>, tensor<2xf32>
  return %0 : tensor<1x2x3xf32>
}

// CHECK-LABEL: @composite
// CHECK: %[[M:.*]] = ane.reduce_max
// CHECK: ane.sub %{{.*}}, %[[M]]
func.func @composite(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = ane.log_softmax %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// An input in fp16 that rows of products meet, such as a cache, is widened where it is loaded. What is read otherwise, or computed, is not.
// CHECK-LABEL: @widened
// CHECK-SAME: %[[K:.*]]: tensor<2x8x4xf16>, %[[X:.*]]: tensor<2x3x4xf16>, %[[V:.*]]: tensor<2x8x4xf16>)
// CHECK: ane.cast %[[K]] {dtype = "fp32", host.widen}
// CHECK: ane.cast %[[X]] {dtype = "fp32"}
// CHECK: ane.cast %[[V]] {dtype = "fp32"}
// CHECK: ane.cast %{{.*}} {dtype = "fp32"}
func.func @widened(%k: tensor<2x8x4xf16>, %x: tensor<2x3x4xf16>, %v: tensor<2x8x4xf16>) -> (tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x3x8xf32>) {
  %kw = ane.cast %k {dtype = "fp32"} : (tensor<2x8x4xf16>) -> tensor<2x8x4xf32>
  %xw = ane.cast %x {dtype = "fp32"} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf32>
  %vw = ane.cast %v {dtype = "fp32"} : (tensor<2x8x4xf16>) -> tensor<2x8x4xf32>
  %kt = ane.transpose %kw {perm = array<i64: 0, 2, 1>} : (tensor<2x8x4xf32>) -> tensor<2x4x8xf32>
  %s = ane.matmul %xw, %kt : (tensor<2x3x4xf32>, tensor<2x4x8xf32>) -> tensor<2x3x8xf32>
  %o = ane.matmul %s, %vw : (tensor<2x3x8xf32>, tensor<2x8x4xf32>) -> tensor<2x3x4xf32>
  %e = ane.exp %vw : tensor<2x8x4xf32>
  %h = ane.relu %k : tensor<2x8x4xf16>
  %hw = ane.cast %h {dtype = "fp32"} : (tensor<2x8x4xf16>) -> tensor<2x8x4xf32>
  %t = ane.matmul %xw, %hw {transpose_x = false, transpose_y = true} : (tensor<2x3x4xf32>, tensor<2x8x4xf32>) -> tensor<2x3x8xf32>
  return %o, %e, %t : tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x3x8xf32>
}

// Axes that don't make one lane are moved together, and copied so.
// CHECK-LABEL: @reduced
// CHECK: %[[T:.*]] = ane.transpose %{{.*}} {perm = array<i64: 1, 3, 0, 2>}
// CHECK: %[[C:.*]] = ane.identity %[[T]] {host.copy}
// CHECK: ane.reduce_sum %[[C]] {axes = array<i64: 2, 3>}
func.func @reduced(%x: tensor<2x3x4x5xf32>) -> tensor<3x5xf32> {
  %0 = ane.reduce_sum %x {axes = array<i64: 0, 2>, keep_dims = false} : (tensor<2x3x4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// The inputs' part of all steps is one product.
// CHECK-LABEL: @gru
// CHECK: ane.linear
// CHECK: %[[P:.*]] = ane.reshape %{{.*}} {shape = array<i64: 5, 2, 12>}
// CHECK: %[[W:.*]] = ane.identity %{{.*}} {host.copy}
// CHECK: host.recurrence gru %[[P]] initial %{{.*}} weight %[[W]] bias %{{.*}} {{.*}}reset_after, reverse}
func.func @gru(%x: tensor<5x2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<12x3xf32>, %r: tensor<12x4xf32>, %b: tensor<12xf32>) -> tensor<2x4xf32> {
  %y, %last = ane.gru %x, %h, %w, %r bias %b {reset_after = true, direction = "reverse"} : (tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>, tensor<12xf32>) -> (tensor<1x2x4xf32>, tensor<2x4xf32>)
  return %last : tensor<2x4xf32>
}
