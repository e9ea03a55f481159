// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s
// RUN: ane-opt %s --ane-host-compile="print-kernels=true f64=true" -o /dev/null | FileCheck %s --check-prefix=F64

// A product with packed weights: register tile of 6 x 2 vectors, bias and residual in the same kernel, on all threads.
// CHECK-LABEL: func.func private @k0_linear_add(
// CHECK-SAME: memref<24576xf32>, %{{.*}}: memref<16384xf32>, %{{.*}}: memref<128xf32>, %{{.*}}: memref<24576xf32>)
// CHECK: scf.parallel
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
// CHECK: host.outline
// F64-LABEL: func.func private @k0_linear_add(
// F64-SAME: memref<24576xf32>, %{{.*}}: memref<16384xf32>
// F64-COUNT-12: vector.fma {{.*}} : vector<4xf64>

// The second layer has the same code: no other kernel follows but the softmax.
// CHECK-LABEL: func.func private @k1_softmax(
// CHECK: arith.cmpf ogt
// CHECK-NOT: vector.fma
// CHECK-NOT: func.func private @k2_
func.func @layers(%x: tensor<1x192x128xf32>, %w0: tensor<128xf32>) -> tensor<1x192x128xf32> {
  %a = ane.const dense<0.5> : tensor<128x128xf32>
  %b = ane.const dense<0.5> : tensor<128x128xf32>
  %0 = ane.linear %x, %a bias %w0 : (tensor<1x192x128xf32>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<1x192x128xf32>
  %1 = ane.add %0, %x : tensor<1x192x128xf32>, tensor<1x192x128xf32>
  %2 = ane.linear %1, %b bias %w0 : (tensor<1x192x128xf32>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<1x192x128xf32>
  %3 = ane.add %2, %1 : tensor<1x192x128xf32>, tensor<1x192x128xf32>
  %4 = ane.softmax %3 {axis = -1 : i64} : tensor<1x192x128xf32>
  return %4 : tensor<1x192x128xf32>
}
