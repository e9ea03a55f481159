// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-canonicalize-engine)))' | FileCheck %s

// What takes the place of an op comes from where the op comes from; the twin is left as it is.
// CHECK-LABEL: func.func @parts
// CHECK: engine {
// CHECK: ane.slice_by_size %{{.*}} {ane.from = array<i64: 0>, begin = array<i64: 0, 4>, size = array<i64: 4, 8>}
// CHECK: } twin {
// CHECK: ane.slice_by_index
func.func @parts(%in: tensor<4x16xf16>) -> tensor<4x8xf16> {
  %0 = ane.island(%in) : (tensor<4x16xf16>) -> tensor<4x8xf16> attributes {
      input_layouts = [#ane.layout<expand = [64], perm = [0]>], output_layouts = [#ane.layout<expand = [32], perm = [0]>]} engine {
  ^bb0(%x: tensor<4x16xf16>):
    %1 = ane.slice_by_index %x {ane.from = array<i64: 0>, begin = array<i64: 0, 4>, end = array<i64: 4, 12>} : (tensor<4x16xf16>) -> tensor<4x8xf16>
    ane.yield %1 : tensor<4x8xf16>
  } twin {
  ^bb0(%x: tensor<4x16xf16>):
    %1 = ane.slice_by_index %x {begin = array<i64: 0, 4>, end = array<i64: 4, 12>} : (tensor<4x16xf16>) -> tensor<4x8xf16>
    ane.yield %1 : tensor<4x8xf16>
  }
  return %0 : tensor<4x8xf16>
}
