// Identities and chains that fold; the -not functions hold what only looks like one.
// RUN: ane-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @identities
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[I:.*]]: tensor<2x3xi64>, %[[B:.*]]: tensor<2x3xi1>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[I]], %[[I]], %[[I]], %[[B]], %[[B]], %[[B]]
func.func @identities(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>, %b: tensor<2x3xi1>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
        tensor<2x3xi64>, tensor<2x3xi64>, tensor<2x3xi64>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>) {
  %minus0 = ane.const dense<-0.0> : tensor<f32>
  %zero = ane.const dense<0.0> : tensor<3xf32>
  %one = ane.const dense<1.0> : tensor<1x1xf32>
  %izero = ane.const dense<0> : tensor<i64>
  %ione = ane.const dense<1> : tensor<3xi64>
  %true = ane.const dense<true> : tensor<i1>
  %false = ane.const dense<false> : tensor<i1>
  %0 = ane.add %x, %minus0 : tensor<2x3xf32>, tensor<f32>
  %1 = ane.sub %x, %zero : tensor<2x3xf32>, tensor<3xf32>
  %2 = ane.mul %one, %x : tensor<1x1xf32>, tensor<2x3xf32>
  %3 = ane.real_div %x, %one : tensor<2x3xf32>, tensor<1x1xf32>
  %4 = ane.pow %x, %one : tensor<2x3xf32>, tensor<1x1xf32>
  %5 = ane.maximum %x, %x : tensor<2x3xf32>, tensor<2x3xf32>
  %6 = ane.add %izero, %i : tensor<i64>, tensor<2x3xi64>
  %7 = ane.floor_div %i, %ione : tensor<2x3xi64>, tensor<3xi64>
  %8 = ane.minimum %i, %i : tensor<2x3xi64>, tensor<2x3xi64>
  %9 = ane.logical_and %b, %true : tensor<2x3xi1>, tensor<i1>
  %10 = ane.logical_or %b, %false : tensor<2x3xi1>, tensor<i1>
  %n = ane.logical_not %b : tensor<2x3xi1>
  %11 = ane.logical_not %n : tensor<2x3xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11
    : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xi64>, tensor<2x3xi64>, tensor<2x3xi64>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>
}

// -----

// x + 0 turns -0 into 0, 0 * x is NaN for an infinite x, x // 1 rounds, and a broadcast changes the type.
// CHECK-LABEL: @identities_not
// CHECK: ane.add
// CHECK: ane.mul
// CHECK: ane.floor_div
// CHECK: ane.mul
// CHECK: return
func.func @identities_not(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) {
  %zero = ane.const dense<0.0> : tensor<f32>
  %one = ane.const dense<1.0> : tensor<f32>
  %ones = ane.const dense<1.0> : tensor<2x1xf32>
  %0 = ane.add %x, %zero : tensor<3xf32>, tensor<f32>
  %1 = ane.mul %x, %zero : tensor<3xf32>, tensor<f32>
  %2 = ane.floor_div %x, %one : tensor<3xf32>, tensor<f32>
  %3 = ane.mul %x, %ones : tensor<3xf32>, tensor<2x1xf32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: @times_zero
// CHECK: %[[C:.*]] = ane.const dense<0> : tensor<2x3xi32>
// CHECK-NEXT: return %[[C]]
func.func @times_zero(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %zero = ane.const dense<0> : tensor<i32>
  %0 = ane.mul %x, %zero : tensor<2x3xi32>, tensor<i32>
  return %0 : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: @select
// CHECK-SAME: (%[[C:.*]]: tensor<3xi1>, %[[A:.*]]: tensor<3xf32>, %[[B:.*]]: tensor<3xf32>)
// CHECK-NEXT: return %[[A]], %[[B]], %[[A]]
func.func @select(%c: tensor<3xi1>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %true = ane.const dense<true> : tensor<i1>
  %false = ane.const dense<false> : tensor<3xi1>
  %0 = ane.select %true, %a, %b : tensor<i1>, tensor<3xf32>, tensor<3xf32>
  %1 = ane.select %false, %a, %b : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>
  %2 = ane.select %c, %a, %a : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: @select_not
// CHECK-SAME: (%[[C:.*]]: tensor<3xi1>, %[[A:.*]]: tensor<3xf32>, %[[B:.*]]: tensor<f32>)
// CHECK-NEXT: ane.select %[[C]], %[[B]], %[[A]] : tensor<3xi1>, tensor<f32>, tensor<3xf32>
func.func @select_not(%c: tensor<3xi1>, %a: tensor<3xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = ane.logical_not %c : tensor<3xi1>
  %1 = ane.select %0, %a, %b : tensor<3xi1>, tensor<3xf32>, tensor<f32>
  return %1 : tensor<3xf32>
}

// -----

// CHECK-LABEL: @slice_forms
// CHECK: %[[A:.*]] = ane.slice_by_size %{{.*}} {begin = array<i64: 0, 2, 4>, size = array<i64: 2, 1, 4>}
// CHECK: ane.reshape %[[A]] {shape = array<i64: 2, 4>}
// CHECK: ane.slice_by_size %{{.*}} {begin = array<i64: 0, 1, 0>, size = array<i64: 1, 2, 8>}
// CHECK: ane.slice_by_index %{{.*}} {{.*}}stride = array<i64: 1, 2, 1>
// CHECK: ane.slice_by_size %{{.*}} {begin = array<i64: 0, 0, 0>, size = array<i64: 2, 0, 8>}
func.func @slice_forms(%x: tensor<2x3x8xf32>) -> (tensor<2x4xf32>, tensor<1x2x8xf32>, tensor<2x2x8xf32>, tensor<2x0x8xf32>) {
  %0 = ane.slice_by_index %x {begin = array<i64: 0, -1, 4>, end = array<i64: 2, 0, 8>, squeeze_mask = array<i1: false, true, false>} : (tensor<2x3x8xf32>) -> tensor<2x4xf32>
  %1 = ane.slice_by_index %x {begin = array<i64: 0, 1, 0>, end = array<i64: 2, 9, 8>, stride = array<i64: 4, 1, 1>, end_mask = array<i1: true, false, false>, begin_mask = array<i1: true, false, false>} : (tensor<2x3x8xf32>) -> tensor<1x2x8xf32>
  %2 = ane.slice_by_index %x {begin = array<i64: 0, 0, 0>, end = array<i64: 2, 3, 8>, stride = array<i64: 1, 2, 1>} : (tensor<2x3x8xf32>) -> tensor<2x2x8xf32>
  %3 = ane.slice_by_index %x {begin = array<i64: 0, 3, 0>, end = array<i64: 2, 3, 8>} : (tensor<2x3x8xf32>) -> tensor<2x0x8xf32>
  return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<1x2x8xf32>, tensor<2x2x8xf32>, tensor<2x0x8xf32>
}

// -----

// CHECK-LABEL: @unary
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
// CHECK: %[[R:.*]] = ane.relu %[[X]]
// CHECK-NEXT: return %[[X]], %[[X]], %[[R]]
func.func @unary(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = ane.identity %x : tensor<3xf32>
  %1 = ane.neg %x : tensor<3xf32>
  %2 = ane.neg %1 : tensor<3xf32>
  %3 = ane.relu %x : tensor<3xf32>
  %4 = ane.relu %3 : tensor<3xf32>
  return %0, %2, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: @movement_of_nothing
// CHECK-SAME: (%[[X:.*]]: tensor<1x3x4xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @movement_of_nothing(%x: tensor<1x3x4xf32>)
    -> (tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>,
        tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>,
        tensor<1x3x4xf32>) {
  %0 = ane.reshape %x {shape = array<i64: 1, 3, 4>} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %1 = ane.transpose %x {perm = array<i64: 0, 1, 2>} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %2 = ane.reverse %x {axes = array<i64: 0>} : tensor<1x3x4xf32>
  %3 = ane.tile %x {reps = array<i64: 1, 1, 1>} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %4 = ane.pad %x {pad = array<i64: 0, 0>} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %5 = ane.slice_by_size %x {begin = array<i64: 0, 0, 0>, size = array<i64: 1, -1, 4>} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %6 = ane.slice_by_index %x {begin = array<i64: 0, 0, 0>, end = array<i64: 9, 9, 9>} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %7 = ane.concat %x {axis = 1} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %8 = ane.split %x {axis = 1, num_splits = 1} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %9 = ane.band_part %x : tensor<1x3x4xf32>
  %10 = ane.reduce_max %x {axes = array<i64: 0>, keep_dims = true} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10
    : tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>,
      tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>
}

// -----

// A backwards slice keeps the type, not the order; a norm of one element is its absolute value.
// CHECK-LABEL: @movement_not
// CHECK: ane.slice_by_index
// CHECK: ane.reverse
// CHECK: ane.reduce_l2_norm
func.func @movement_not(%x: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  %0 = ane.slice_by_index %x {begin = array<i64: 0, -1>, end = array<i64: 1, 0>, end_mask = array<i1: false, true>, stride = array<i64: 1, -1>} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = ane.reverse %x : tensor<1x4xf32>
  %2 = ane.reduce_l2_norm %x {axes = array<i64: 0>, keep_dims = true} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0, %1, %2 : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// CHECK-LABEL: @reshape_chain
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK: %[[R:.*]] = ane.reshape %[[X]] {shape = array<i64: 4, 6>}
// CHECK-NEXT: return %[[R]], %[[X]], %[[X]]
func.func @reshape_chain(%x: tensor<2x3x4xf32>) -> (tensor<4x6xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %0 = ane.reshape %x {shape = array<i64: 2, -1>} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  %1 = ane.expand_dims %0 {axes = array<i64: 0>} : (tensor<2x12xf32>) -> tensor<1x2x12xf32>
  %2 = ane.reshape %1 {shape = array<i64: 4, 6>} : (tensor<1x2x12xf32>) -> tensor<4x6xf32>
  %3 = ane.reshape %2 {shape = array<i64: 2, 3, 4>} : (tensor<4x6xf32>) -> tensor<2x3x4xf32>
  %4 = ane.expand_dims %x {axes = array<i64: -1>} : (tensor<2x3x4xf32>) -> tensor<2x3x4x1xf32>
  %5 = ane.squeeze %4 : (tensor<2x3x4x1xf32>) -> tensor<2x3x4xf32>
  return %2, %3, %5 : tensor<4x6xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// Forms of reshape: the canonical one has all sizes.
// CHECK-LABEL: @reshape_forms
// CHECK: ane.reshape %{{.*}} {shape = array<i64: 2, 12>}
// CHECK: ane.reshape %{{.*}} {shape = array<i64: 6, 4>}
// CHECK: ane.reshape %{{.*}} {shape = array<i64: 24>}
func.func @reshape_forms(%x: tensor<2x3x4xf32>, %r: tensor<24xf32>) -> (tensor<2x12xf32>, tensor<6x4xf32>, tensor<24xf32>) {
  %0 = ane.reshape %x {shape = array<i64: 2, -1>} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  %1 = ane.flatten2d %x {axis = -1} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %2 = ane.reshape_like %x, %r {begins = array<i64: 0>, ends = array<i64: 1>, end_masks = array<i1: false>} : (tensor<2x3x4xf32>, tensor<24xf32>) -> tensor<24xf32>
  return %0, %1, %2 : tensor<2x12xf32>, tensor<6x4xf32>, tensor<24xf32>
}

// -----

// CHECK-LABEL: @transpose_chain
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK: %[[T:.*]] = ane.transpose %[[X]] {perm = array<i64: 2, 0, 1>}
// CHECK-NEXT: return %[[T]], %[[X]]
func.func @transpose_chain(%x: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>, tensor<2x3x4xf32>) {
  %0 = ane.transpose %x {perm = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = ane.transpose %0 {perm = array<i64: 1, 2, 0>} : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  %2 = ane.transpose %1 {perm = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %1, %2 : tensor<4x2x3xf32>, tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: @slice_chain
// CHECK-SAME: (%[[X:.*]]: tensor<8x8xf32>)
// CHECK-NEXT: %[[S:.*]] = ane.slice_by_size %[[X]] {begin = array<i64: 3, 5>, size = array<i64: 2, 3>}
// CHECK-NEXT: return %[[S]]
func.func @slice_chain(%x: tensor<8x8xf32>) -> tensor<2x3xf32> {
  %0 = ane.slice_by_size %x {begin = array<i64: 2, 4>, size = array<i64: 4, 4>} : (tensor<8x8xf32>) -> tensor<4x4xf32>
  %1 = ane.slice_by_size %0 {begin = array<i64: 1, -3>, size = array<i64: 2, -1>} : (tensor<4x4xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

// A cast that loses nothing vanishes from a chain.
// CHECK-LABEL: @cast_chain
// CHECK-SAME: (%[[X:.*]]: tensor<3xf16>, %[[I:.*]]: tensor<3xi32>, %[[F:.*]]: tensor<3xf32>)
// CHECK-DAG: %[[A:.*]] = ane.cast %[[X]] {dtype = "int32"} : (tensor<3xf16>) -> tensor<3xi32>
// CHECK-DAG: %[[B:.*]] = ane.cast %[[F]] {dtype = "fp16"}
// CHECK-DAG: %[[C:.*]] = ane.cast %[[B]] {dtype = "fp32"}
// CHECK-DAG: %[[D:.*]] = ane.cast %[[I]] {dtype = "fp32"}
// CHECK-DAG: %[[E:.*]] = ane.cast %[[D]] {dtype = "int32"}
// CHECK: return %[[X]], %[[A]], %[[C]], %[[I]], %[[E]]
func.func @cast_chain(%x: tensor<3xf16>, %i: tensor<3xi32>, %f: tensor<3xf32>)
    -> (tensor<3xf16>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xi32>) {
  %0 = ane.cast %x {dtype = "fp32"} : (tensor<3xf16>) -> tensor<3xf32>
  %1 = ane.cast %0 {dtype = "fp16"} : (tensor<3xf32>) -> tensor<3xf16>
  %2 = ane.cast %0 {dtype = "int32"} : (tensor<3xf32>) -> tensor<3xi32>
  %3 = ane.cast %f {dtype = "fp16"} : (tensor<3xf32>) -> tensor<3xf16>
  %4 = ane.cast %3 {dtype = "fp32"} : (tensor<3xf16>) -> tensor<3xf32>
  %5 = ane.cast %i {dtype = "int64"} : (tensor<3xi32>) -> tensor<3xi64>
  %6 = ane.cast %5 {dtype = "int32"} : (tensor<3xi64>) -> tensor<3xi32>
  %7 = ane.cast %i {dtype = "fp32"} : (tensor<3xi32>) -> tensor<3xf32>
  %8 = ane.cast %7 {dtype = "int32"} : (tensor<3xf32>) -> tensor<3xi32>
  return %1, %2, %4, %6, %8 : tensor<3xf16>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xi32>
}

// -----

// CHECK-LABEL: @fill_like
// CHECK: ane.fill %{{.*}} {shape = array<i64: 2, 3>} : (tensor<f32>) -> tensor<2x3xf32>
func.func @fill_like(%x: tensor<2x3xi64>, %v: tensor<f32>) -> tensor<2x3xf32> {
  %0 = ane.fill_like %x, %v : (tensor<2x3xi64>, tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
