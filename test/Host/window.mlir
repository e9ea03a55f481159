// Ops on windows that are no products: loops over the windows of each element of the result. What lies beyond the border does not count.
// RUN: ane-opt %s --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s

// OP-LABEL: @max
// OP: host.kernel window(
// OP-NEXT: ane.max_pool
// CHECK-LABEL: func.func private @max_pool_{{[0-9a-f]+}}(
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.cmpi ult
// CHECK: arith.cmpf ogt
func.func @max(%x: tensor<1x8x16x16xf32>) -> tensor<1x8x8x8xf32> {
  %0 = ane.max_pool %x {kernel_sizes = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_type = "custom", pad = array<i64: 1, 0, 1, 0>} : (tensor<1x8x16x16xf32>) -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}

// OP-LABEL: @average
// OP: host.kernel window(
// CHECK-LABEL: func.func private @avg_pool_{{[0-9a-f]+}}(
// CHECK: arith.constant 4.000000e+00 : f32
// CHECK: arith.divf
func.func @average(%x: tensor<1x8x16x16xf32>) -> tensor<1x8x15x15xf32> {
  %0 = ane.avg_pool %x {kernel_sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>, pad_type = "valid"} : (tensor<1x8x16x16xf32>) -> tensor<1x8x15x15xf32>
  return %0 : tensor<1x8x15x15xf32>
}

// Each element of the result gathers the inputs whose window covers it.
// OP-LABEL: @overlapping
// OP: host.kernel window(
// OP-NEXT: ane.conv_transpose
// CHECK-LABEL: func.func private @conv_transpose_{{[0-9a-f]+}}(
// CHECK: arith.remsi
// CHECK: math.fma
func.func @overlapping(%x: tensor<1x8x5x5xf32>) -> tensor<1x16x11x11xf32> {
  %w = ane.const dense<0.5> : tensor<8x16x3x3xf32>
  %0 = ane.conv_transpose %x, %w {pad_type = "valid", strides = array<i64: 2, 2>} : (tensor<1x8x5x5xf32>, tensor<8x16x3x3xf32>) -> tensor<1x16x11x11xf32>
  return %0 : tensor<1x16x11x11xf32>
}

// OP-LABEL: @lrn
// OP: host.kernel window(
// OP-NEXT: ane.local_response_norm
// CHECK-LABEL: func.func private @local_response_norm_{{[0-9a-f]+}}(
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.divf
func.func @lrn(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %0 = ane.local_response_norm %x {size = 5 : i64, alpha = 1.0e-4 : f64, beta = 0.75 : f64, k = 1.0 : f64} : tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}
