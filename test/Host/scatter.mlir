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

// What another kernel writes for the scatter alone is changed in place: nothing is copied.
// OP-LABEL: @in_place
// OP: host.kernel scatter({{.*}}) attributes {in_place}
// CHECK-LABEL: func.func private @add_{{[0-9a-f]+}}(
// CHECK-LABEL: func.func private @scatter_{{[0-9a-f]+}}(
// CHECK-NOT: %arg0[
// CHECK: memref.load %arg1[{{.*}}] : memref<2xi32>
// CHECK-NOT: %arg0[
// CHECK: return
func.func @in_place(%x: tensor<1024x8xf32>, %i: tensor<2xi32>, %u: tensor<2x8xf32>) -> tensor<1024x8xf32> {
  %0 = ane.add %x, %x : tensor<1024x8xf32>, tensor<1024x8xf32>
  %1 = ane.scatter %0, %i, %u {axis = 0 : i64, mode = "add"} : tensor<1024x8xf32>, tensor<2xi32>, tensor<2x8xf32>
  return %1 : tensor<1024x8xf32>
}

// Not where updates are read from it, too.
// OP-LABEL: @of_its_data
// OP-NOT: in_place
// OP-LABEL: @one
func.func @of_its_data(%x: tensor<4x8xf32>, %i: tensor<4xi32>) -> tensor<4x8xf32> {
  %0 = ane.add %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %1 = ane.scatter %0, %i, %0 {axis = 0 : i64, mode = "update"} : tensor<4x8xf32>, tensor<4xi32>, tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Zeros with one element along an axis are computed where they are needed.
// OP: host.kernel elementwise(
// OP-NOT: ane.scatter
// OP: ane.equal
// OP: ane.select
// OP: ane.mul
func.func @one(%i: tensor<4x1xi32>, %u: tensor<4x1xf32>, %y: tensor<4x300xf32>) -> tensor<4x300xf32> {
  %zero = ane.const dense<0.0> : tensor<4x300xf32>
  %0 = ane.scatter_along_axis %zero, %i, %u {axis = 1 : i64, mode = "add"} : tensor<4x300xf32>, tensor<4x1xi32>, tensor<4x1xf32>
  %1 = ane.mul %0, %y : tensor<4x300xf32>, tensor<4x300xf32>
  return %1 : tensor<4x300xf32>
}
