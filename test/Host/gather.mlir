// Gathers are loads at computed places, and join sweeps like element-wise ops. Negative indices count from the end.
// RUN: ane-opt %s --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s

// OP-LABEL: @rows
// OP: host.kernel elementwise(
// OP-NEXT: ane.gather
// OP-NEXT: ane.relu
// CHECK-LABEL: func.func private @gather_relu_{{[0-9a-f]+}}(
// CHECK-SAME: memref<8xi32>, %{{.*}}: memref<6400xf32>, %{{.*}}: memref<512xf32>)
// CHECK: memref.load %{{.*}} : memref<8xi32>
// CHECK: arith.cmpi slt
// CHECK: vector.load {{.*}} memref<6400xf32>, vector<16xf32>
func.func @rows(%x: tensor<100x64xf32>, %i: tensor<8xi32>) -> tensor<8x64xf32> {
  %0 = ane.gather %x, %i {axis = 0 : i64} : (tensor<100x64xf32>, tensor<8xi32>) -> tensor<8x64xf32>
  %1 = ane.relu %0 : tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}

// OP-LABEL: @tuples
// OP: host.kernel elementwise(
// OP-NEXT: ane.gather_nd
// CHECK-LABEL: func.func private @gather_nd_{{[0-9a-f]+}}(
// CHECK-COUNT-2: memref.load %{{.*}} : memref<10xi32>
// CHECK: vector.load {{.*}} memref<960xf32>, vector<16xf32>
func.func @tuples(%x: tensor<10x6x16xf32>, %i: tensor<5x2xi32>) -> tensor<5x16xf32> {
  %0 = ane.gather_nd %x, %i {batch_dims = 0 : i64} : (tensor<10x6x16xf32>, tensor<5x2xi32>) -> tensor<5x16xf32>
  return %0 : tensor<5x16xf32>
}
