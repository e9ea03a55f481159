// Round trip: parts of tensors.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @slice_by_index(
// CHECK: ane.slice_by_index %{{.*}} {begin = array<i64: 0, -1, 1>, begin_mask = array<i1: false, false, true>, end = array<i64: 4, 0, 7>, squeeze_mask = array<i1: false, true, false>, stride = array<i64: 2, 1, 3>} : (tensor<4x6x8xf16>) -> tensor<2x3xf16>
func.func @slice_by_index(%x: tensor<4x6x8xf16>) -> tensor<2x3xf16> {
  %0 = ane.slice_by_index %x {begin = array<i64: 0, -1, 1>, begin_mask = array<i1: false, false, true>, end = array<i64: 4, 0, 7>, squeeze_mask = array<i1: false, true, false>, stride = array<i64: 2, 1, 3>} : (tensor<4x6x8xf16>) -> tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}

// CHECK-LABEL: @slice_backwards(
// CHECK: ane.slice_by_index %{{.*}} {begin = array<i64: -1>, end = array<i64: 0>, end_mask = array<i1: true>, stride = array<i64: -2>} : (tensor<5xf16>) -> tensor<3xf16>
func.func @slice_backwards(%x: tensor<5xf16>) -> tensor<3xf16> {
  %0 = ane.slice_by_index %x {begin = array<i64: -1>, end = array<i64: 0>, end_mask = array<i1: true>, stride = array<i64: -2>} : (tensor<5xf16>) -> tensor<3xf16>
  return %0 : tensor<3xf16>
}

// CHECK-LABEL: @slice_clamped(
// CHECK: ane.slice_by_index %{{.*}} {begin = array<i64: 2>, end = array<i64: 9223372036854775807>} : (tensor<5xf16>) -> tensor<3xf16>
func.func @slice_clamped(%x: tensor<5xf16>) -> tensor<3xf16> {
  %0 = ane.slice_by_index %x {begin = array<i64: 2>, end = array<i64: 9223372036854775807>} : (tensor<5xf16>) -> tensor<3xf16>
  return %0 : tensor<3xf16>
}

// CHECK-LABEL: @slice_empty(
// CHECK: ane.slice_by_index %{{.*}} {begin = array<i64: 3>, end = array<i64: 3>} : (tensor<5xf16>) -> tensor<0xf16>
func.func @slice_empty(%x: tensor<5xf16>) -> tensor<0xf16> {
  %0 = ane.slice_by_index %x {begin = array<i64: 3>, end = array<i64: 3>} : (tensor<5xf16>) -> tensor<0xf16>
  return %0 : tensor<0xf16>
}

// CHECK-LABEL: @slice_by_size(
// CHECK: ane.slice_by_size %{{.*}} {begin = array<i64: 1, 0, -2>, size = array<i64: 1, -1, 2>} : (tensor<2x3x4xf16>) -> tensor<1x3x2xf16>
func.func @slice_by_size(%x: tensor<2x3x4xf16>) -> tensor<1x3x2xf16> {
  %0 = ane.slice_by_size %x {begin = array<i64: 1, 0, -2>, size = array<i64: 1, -1, 2>} : (tensor<2x3x4xf16>) -> tensor<1x3x2xf16>
  return %0 : tensor<1x3x2xf16>
}

// CHECK-LABEL: @slice_update(
// CHECK: ane.slice_update %{{.*}}, %{{.*}} {begin = array<i64: 0, 1, 0>, end = array<i64: 2, 2, 4>} : tensor<2x3x4xf16>, tensor<2x1x4xf16>
func.func @slice_update(%x: tensor<2x3x4xf16>, %u: tensor<2x1x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.slice_update %x, %u {begin = array<i64: 0, 1, 0>, end = array<i64: 2, 2, 4>} : tensor<2x3x4xf16>, tensor<2x1x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @split(
// CHECK: ane.split %{{.*}} {axis = 2 : i64, num_splits = 2 : i64} : (tensor<2x3x4xf16>) -> (tensor<2x3x2xf16>, tensor<2x3x2xf16>)
func.func @split(%x: tensor<2x3x4xf16>) -> (tensor<2x3x2xf16>, tensor<2x3x2xf16>) {
  %0:2 = ane.split %x {axis = 2, num_splits = 2} : (tensor<2x3x4xf16>) -> (tensor<2x3x2xf16>, tensor<2x3x2xf16>)
  return %0#0, %0#1 : tensor<2x3x2xf16>, tensor<2x3x2xf16>
}

// CHECK-LABEL: @split_sizes(
// CHECK: ane.split %{{.*}} {axis = -1 : i64, split_sizes = array<i64: 1, 3>} : (tensor<2x3x4xf16>) -> (tensor<2x3x1xf16>, tensor<2x3x3xf16>)
func.func @split_sizes(%x: tensor<2x3x4xf16>) -> (tensor<2x3x1xf16>, tensor<2x3x3xf16>) {
  %0:2 = ane.split %x {axis = -1, split_sizes = array<i64: 1, 3>} : (tensor<2x3x4xf16>) -> (tensor<2x3x1xf16>, tensor<2x3x3xf16>)
  return %0#0, %0#1 : tensor<2x3x1xf16>, tensor<2x3x3xf16>
}

// CHECK-LABEL: @sliding_windows(
// CHECK: ane.sliding_windows %{{.*}} {axis = 2 : i64, size = 2 : i64, stride = 2 : i64} : (tensor<2x3x4xf16>) -> tensor<2x3x2x2xf16>
func.func @sliding_windows(%x: tensor<2x3x4xf16>) -> tensor<2x3x2x2xf16> {
  %0 = ane.sliding_windows %x {axis = 2, size = 2, stride = 2} : (tensor<2x3x4xf16>) -> tensor<2x3x2x2xf16>
  return %0 : tensor<2x3x2x2xf16>
}

// CHECK-LABEL: @band_part(
// CHECK: ane.band_part %{{.*}} {upper = 0 : i64} : tensor<2x3x4xf16>
func.func @band_part(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.band_part %x {upper = 0} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// A stride beyond the axis takes its first element, whatever its size.
// CHECK-LABEL: @slice_far(
// CHECK: ane.slice_by_index
func.func @slice_far(%x: tensor<5xf16>) -> (tensor<1xf16>, tensor<1xf16>) {
  %0 = ane.slice_by_index %x {begin = array<i64: 0>, end = array<i64: 5>, stride = array<i64: 9223372036854775807>} : (tensor<5xf16>) -> tensor<1xf16>
  %1 = ane.slice_by_index %x {begin = array<i64: -1>, end = array<i64: -9223372036854775808>, stride = array<i64: -9223372036854775808>} : (tensor<5xf16>) -> tensor<1xf16>
  return %0, %1 : tensor<1xf16>, tensor<1xf16>
}
