// Reductions along a row, with the element-wise ops around them: one sweep in several passes.
// RUN: ane-opt %s --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s

// The sum of exponentials needs the maximum, the quotients need the sum: three passes. The exponentials are kept for the last.
// OP-LABEL: @softmax
// OP: host.kernel row(
// OP-NEXT: ane.add
// OP-NEXT: ane.softmax
// OP-NEXT: host.yield
// CHECK-LABEL: func.func private @add_softmax_{{[0-9a-f]+}}(
// CHECK: memref.alloca() {{.*}} : memref<64xf32>
// CHECK: arith.cmpf ogt, {{.*}} : vector<8xf32>
// CHECK: math.roundeven {{.*}} : vector<16xf32>
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: arith.divf
func.func @softmax(%x: tensor<8x64xf32>, %m: tensor<64xf32>) -> tensor<8x64xf32> {
  %0 = ane.add %x, %m : tensor<8x64xf32>, tensor<64xf32>
  %1 = ane.softmax %0 {axis = -1 : i64} : tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}

// A kernel writes what is needed elsewhere, too.
// OP-LABEL: @norm
// OP: %[[R:.*]]:2 = host.kernel row(
// OP-NEXT: %[[SUM:.*]] = ane.add
// OP-NEXT: %[[Y:.*]] = ane.layer_norm %[[SUM]]
// OP-NEXT: host.yield %[[SUM]], %[[Y]]
// OP: return %[[R]]#0, %[[R]]#1
// CHECK-LABEL: func.func private @add_layer_norm_{{[0-9a-f]+}}(
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: arith.subf {{.*}} : vector<16xf32>
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: math.sqrt
func.func @norm(%x: tensor<8x64xf32>, %r: tensor<8x64xf32>, %g: tensor<64xf32>, %b: tensor<64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %0 = ane.add %x, %r : tensor<8x64xf32>, tensor<8x64xf32>
  %1 = ane.layer_norm %0 gamma %g beta %b {axes = array<i64: 1>, epsilon = 1.0e-5 : f64} : (tensor<8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  return %0, %1 : tensor<8x64xf32>, tensor<8x64xf32>
}

// An axis in the middle becomes the lane; its elements don't lie side by side.
// OP-LABEL: @middle
// OP: host.kernel row(
// OP-NEXT: ane.reduce_max
// CHECK-LABEL: func.func private @reduce_max_{{[0-9a-f]+}}(
// CHECK: scf.for
// CHECK: memref.load
// CHECK: arith.cmpf ogt
func.func @middle(%x: tensor<4x32x16xf32>) -> tensor<4x16xf32> {
  %0 = ane.reduce_max %x {axes = array<i64: 1>, keep_dims = false} : (tensor<4x32x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// The axes of the norm lie along one lane. Its result, stored in the order that the slice reads, would not: it is copied.
// OP-LABEL: @apart
// OP: %[[Y:.*]] = host.kernel row(
// OP-NEXT: ane.layer_norm
// OP-NEXT: host.yield
// OP: host.kernel copy({{.*}} = %[[Y]])
// OP-NEXT: ane.transpose
func.func @apart(%x: tensor<2x3x5xf32>, %g: tensor<2x5xf32>) -> tensor<3xf32> {
  %0 = ane.layer_norm %x gamma %g {axes = array<i64: 0, 2>, epsilon = 1.0e-1 : f64} : (tensor<2x3x5xf32>, tensor<2x5xf32>) -> tensor<2x3x5xf32>
  %1 = ane.reshape %0 {shape = array<i64: 30>} : (tensor<2x3x5xf32>) -> tensor<30xf32>
  %2 = ane.slice_by_size %1 {begin = array<i64: 0>, size = array<i64: 3>} : (tensor<30xf32>) -> tensor<3xf32>
  %3 = ane.tanh %2 : tensor<3xf32>
  return %3 : tensor<3xf32>
}
