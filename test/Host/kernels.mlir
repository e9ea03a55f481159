// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s
// RUN: ane-opt %s --ane-host-compile="print-kernels=true f64=true" -o /dev/null | FileCheck %s --check-prefix=F64

// A product with packed weights: register tile of 6 x 2 vectors, bias and residual in the same kernel, on all threads.
// CHECK-LABEL: func.func private @linear_add_{{[0-9a-f]+}}(
// CHECK-SAME: memref<24576xf32>, %{{.*}}: memref<16384xf32>, %{{.*}}: memref<128xf32>, %{{.*}}: memref<24576xf32>)
// CHECK: scf.parallel
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
// CHECK: host.outline
// F64-LABEL: func.func private @linear_add_{{[0-9a-f]+}}(
// F64-SAME: memref<24576xf32>, %{{.*}}: memref<16384xf32>
// F64-COUNT-12: vector.fma {{.*}} : vector<4xf64>

// The second layer has the same code: no other kernel follows but the softmax.
// CHECK-LABEL: func.func private @softmax_{{[0-9a-f]+}}(
// CHECK: arith.cmpf ogt
// CHECK-NOT: vector.fma
// Weights of a convolution are constants: they are packed, and images are read channels last where they lie; no windows are
// gathered. What follows joins the kernel, the change of layout included.
// CHECK-LABEL: func.func private @pad_{{[0-9a-f]+}}(
// CHECK-LABEL: func.func private @conv_add_relu_{{[0-9a-f]+}}(
// CHECK-SAME: memref<972xf32>, %{{.*}}: memref<432xf32>, %{{.*}}: memref<16xf32>, %{{.*}}: memref<4096xf32>)
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
// CHECK-LABEL: func.func private @pad_{{[0-9a-f]+}}(
// CHECK-LABEL: func.func private @conv_clip_identity_{{[0-9a-f]+}}(
// CHECK-SAME: memref<5184xf32>, %{{.*}}: memref<144xf32>, %{{.*}}: memref<4096xf32>)
// CHECK: math.fma {{.*}} : vector<8xf32>
// CHECK-NOT: func.func private @k6
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

func.func @image(%x: tensor<1x3x16x16xf32>, %b: tensor<16xf32>) -> tensor<1x16x16x16xf32> {
  %w = ane.const dense<0.5> : tensor<16x3x3x3xf32>
  %d = ane.const dense<0.5> : tensor<16x1x3x3xf32>
  %0 = ane.conv %x, %w bias %b {pad_type = "same"} : (tensor<1x3x16x16xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x16x16x16xf32>
  %1 = ane.relu %0 : tensor<1x16x16x16xf32>
  %2 = ane.conv %1, %d {pad_type = "same", groups = 16 : i64} : (tensor<1x16x16x16xf32>, tensor<16x1x3x3xf32>) -> tensor<1x16x16x16xf32>
  %3 = ane.clip %2 {alpha = 0.0 : f64, beta = 6.0 : f64} : tensor<1x16x16x16xf32>
  return %3 : tensor<1x16x16x16xf32>
}
