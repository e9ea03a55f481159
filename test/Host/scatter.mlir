// Updates may meet the same element: they are applied one after the other, on a copy of x. Indices are clamped.
// RUN: ane-opt %s --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s

// OP-LABEL: @rows
// OP: host.kernel scatter(
// OP-NEXT: ane.scatter 
// CHECK-LABEL: func.func private @scatter_{{[0-9a-f]+}}(
// CHECK-NOT: scf.parallel
// CHECK: memref.load {{.*}} memref<2xi32>
// CHECK: arith.maxsi
// CHECK: arith.minsi
func.func @rows(%x: tensor<8x4xf32>, %i: tensor<2xi32>, %u: tensor<2x4xf32>) -> tensor<8x4xf32> {
  %0 = ane.scatter %x, %i, %u {axis = 0 : i64, mode = "update"} : tensor<8x4xf32>, tensor<2xi32>, tensor<2x4xf32>
  return %0 : tensor<8x4xf32>
}

// OP-LABEL: @elements
// OP: host.kernel scatter(
// CHECK-LABEL: func.func private @scatter_along_axis_{{[0-9a-f]+}}(
// CHECK: memref.load {{.*}} memref<8xi32>
// CHECK: arith.addf
func.func @elements(%x: tensor<8x4xf32>, %i: tensor<2x4xi32>, %u: tensor<2x4xf32>) -> tensor<8x4xf32> {
  %0 = ane.scatter_along_axis %x, %i, %u {axis = 0 : i64, mode = "add"} : tensor<8x4xf32>, tensor<2x4xi32>, tensor<2x4xf32>
  return %0 : tensor<8x4xf32>
}

// OP-LABEL: @tuples
// OP: host.kernel scatter(
// CHECK-LABEL: func.func private @scatter_nd_{{[0-9a-f]+}}(
// CHECK-COUNT-2: memref.load {{.*}} memref<4xi32>
// CHECK: arith.cmpf ogt
func.func @tuples(%x: tensor<8x4xf32>, %i: tensor<2x2xi32>, %u: tensor<2xf32>) -> tensor<8x4xf32> {
  %0 = ane.scatter_nd %x, %i, %u {mode = "max"} : tensor<8x4xf32>, tensor<2x2xi32>, tensor<2xf32>
  return %0 : tensor<8x4xf32>
}
