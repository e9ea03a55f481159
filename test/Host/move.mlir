// Ops that move elements and are no views: plain loops over the result or an operand.
// RUN: ane-opt %s --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s

// OP-LABEL: @concat
// OP: host.kernel move(
// OP-NEXT: ane.concat
// CHECK-LABEL: func.func private @concat_{{[0-9a-f]+}}(
// CHECK-SAME: memref<6xf32>, %{{.*}}: memref<10xf32>, %{{.*}}: memref<16xf32>)
// CHECK: memref.store {{.*}} memref<16xf32>
// CHECK: memref.store {{.*}} memref<16xf32>
func.func @concat(%x: tensor<2x3xf32>, %y: tensor<2x5xf32>) -> tensor<2x8xf32> {
  %0 = ane.concat %x, %y {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// OP-LABEL: @stack
// OP: host.kernel move(
// CHECK-LABEL: func.func private @stack_{{[0-9a-f]+}}(
// CHECK-COUNT-2: memref.store {{.*}} memref<6xf32>
func.func @stack(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = ane.stack %x, %y {axis = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// OP-LABEL: @tile
// OP: host.kernel move(
// CHECK-LABEL: func.func private @tile_{{[0-9a-f]+}}(
// CHECK: arith.remui
func.func @tile(%x: tensor<3xf32>) -> tensor<6xf32> {
  %0 = ane.tile %x {reps = array<i64: 2>} : (tensor<3xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// OP-LABEL: @reflect
// OP: host.kernel move(
// CHECK-LABEL: func.func private @pad_{{[0-9a-f]+}}(
// CHECK: arith.minsi
// CHECK: arith.maxsi
func.func @reflect(%x: tensor<5xf32>) -> tensor<9xf32> {
  %0 = ane.pad %x {pad = array<i64: 2, 2>, mode = "reflect"} : (tensor<5xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// OP-LABEL: @one_hot
// OP: host.kernel move(
// CHECK-LABEL: func.func private @one_hot_{{[0-9a-f]+}}(
// CHECK-SAME: memref<4xi32>, %{{.*}}: memref<1xf32>, %{{.*}}: memref<40xf32>)
// CHECK: arith.cmpi eq
func.func @one_hot(%i: tensor<4xi32>) -> tensor<4x10xf32> {
  %on = ane.const dense<3.0> : tensor<f32>
  %0 = ane.one_hot %i on %on {axis = -1 : i64, one_hot_vector_size = 10 : i64} : (tensor<4xi32>, tensor<f32>) -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// OP-LABEL: @band
// OP: host.kernel move(
// CHECK-LABEL: func.func private @band_part_{{[0-9a-f]+}}(
// CHECK: arith.cmpi sle
func.func @band(%x: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = ane.band_part %x {lower = -1 : i64, upper = 0 : i64} : tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}

// All of x, then the part that is replaced.
// OP-LABEL: @update
// OP: host.kernel move(
// CHECK-LABEL: func.func private @slice_update_{{[0-9a-f]+}}(
// CHECK: memref.load {{.*}} memref<32xf32>
// CHECK: memref.load {{.*}} memref<8xf32>
func.func @update(%x: tensor<8x4xf32>, %u: tensor<2x4xf32>) -> tensor<8x4xf32> {
  %0 = ane.slice_update %x, %u {begin = array<i64: 1, 0>, end = array<i64: 5, 4>, stride = array<i64: 2, 1>} : tensor<8x4xf32>, tensor<2x4xf32>
  return %0 : tensor<8x4xf32>
}

// OP-LABEL: @reverse_sequence
// OP: host.kernel move(
// CHECK-LABEL: func.func private @reverse_sequence_{{[0-9a-f]+}}(
// CHECK: arith.minui
func.func @reverse_sequence(%x: tensor<4x6xf32>, %l: tensor<4xi32>) -> tensor<4x6xf32> {
  %0 = ane.reverse_sequence %x, %l {seq_axis = 1 : i64, batch_axis = 0 : i64} : tensor<4x6xf32>, tensor<4xi32>
  return %0 : tensor<4x6xf32>
}
