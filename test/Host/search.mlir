// Ops that look along an axis. Ranks are found by scans for the next element in order, without a buffer.
// RUN: ane-opt %s --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s

// OP-LABEL: @argmax
// OP: host.kernel search(
// CHECK-LABEL: func.func private @reduce_argmax_{{[0-9a-f]+}}(
// CHECK: scf.for {{.*}} -> (f32, index)
// CHECK: arith.cmpf ult
// CHECK: arith.cmpf ord
func.func @argmax(%x: tensor<4x100xf32>) -> tensor<4xi32> {
  %0 = ane.reduce_argmax %x {axis = 1 : i64, keep_dims = false} : (tensor<4x100xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// OP-LABEL: @topk
// OP: %[[R:.*]]:2 = host.kernel search(
// OP-NEXT: ane.topk
// CHECK-LABEL: func.func private @topk_{{[0-9a-f]+}}(
// CHECK: %[[K:.*]] = arith.constant 5 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[K]] {{.*}} -> (f32, index)
// CHECK: scf.for {{.*}} -> (f32, index)
func.func @topk(%x: tensor<4x100xf32>) -> (tensor<4x5xf32>, tensor<4x5xi32>) {
  %0:2 = ane.topk %x {axis = 1 : i64, k = 5 : i64} : (tensor<4x100xf32>) -> (tensor<4x5xf32>, tensor<4x5xi32>)
  return %0#0, %0#1 : tensor<4x5xf32>, tensor<4x5xi32>
}

// OP-LABEL: @argsort
// OP: host.kernel search(
// CHECK-LABEL: func.func private @argsort_{{[0-9a-f]+}}(
// CHECK-COUNT-2: scf.for {{.*}} -> (f32, index)
func.func @argsort(%x: tensor<10xf32>) -> tensor<10xi32> {
  %0 = ane.argsort %x {axis = 0 : i64, ascending = true} : tensor<10xf32>
  return %0 : tensor<10xi32>
}

// OP-LABEL: @cumsum
// OP: host.kernel search(
// CHECK-LABEL: func.func private @cumsum_{{[0-9a-f]+}}(
// CHECK: scf.for {{.*}} -> (f32)
// CHECK: arith.addf
func.func @cumsum(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = ane.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
