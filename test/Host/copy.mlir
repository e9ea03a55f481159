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
