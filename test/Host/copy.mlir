// A view that strides can't express is copied first, by a kernel of its own.
// RUN: ane-opt %s --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s

// OP: %[[C:.*]] = host.kernel copy(%[[A:.*]] = %{{.*}}) : (tensor<4x8xf32>) -> tensor<8x4xf32> {
// OP-NEXT: %[[T:.*]] = ane.transpose %[[A]]
// OP-NEXT: host.yield %[[T]]
// OP: host.kernel elementwise(%[[B:.*]] = %[[C]], %{{.*}} = %{{.*}})
// OP-NEXT: ane.reshape %[[B]]
// OP-NEXT: ane.add
// CHECK-LABEL: func.func private @copy_{{[0-9a-f]+}}(
// CHECK: memref.load
// CHECK: memref.store
// CHECK-LABEL: func.func private @add_{{[0-9a-f]+}}(
// CHECK: vector.load
func.func @copy(%x: tensor<4x8xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %0 = ane.transpose %x {perm = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = ane.reshape %0 {shape = array<i64: 32>} : (tensor<8x4xf32>) -> tensor<32xf32>
  %2 = ane.add %1, %y : tensor<32xf32>, tensor<32xf32>
  return %2 : tensor<32xf32>
}

// Views of what is returned stay outside, behind all kernels.
// OP-LABEL: @returned
// OP: %[[R:.*]] = host.kernel elementwise(
// OP: %[[S:.*]] = host.kernel elementwise(
// OP: %[[A:.*]] = ane.reshape %[[R]]
// OP: %[[B:.*]] = ane.reshape %[[S]]
// OP: return %[[A]], %[[B]]
func.func @returned(%x: tensor<4x8xf32>, %y: tensor<16xf32>) -> (tensor<32xf32>, tensor<4x4xf32>) {
  %0 = ane.relu %x : tensor<4x8xf32>
  %1 = ane.reshape %0 {shape = array<i64: 32>} : (tensor<4x8xf32>) -> tensor<32xf32>
  %2 = ane.relu %y : tensor<16xf32>
  %3 = ane.reshape %2 {shape = array<i64: 4, 4>} : (tensor<16xf32>) -> tensor<4x4xf32>
  return %1, %3 : tensor<32xf32>, tensor<4x4xf32>
}
