// RUN: ane-opt %s --ane-raise-composites | FileCheck %s

// CHECK-LABEL: func.func @rms
// CHECK: ane.rms_norm %{{.*}} gamma %{{.*}} {axes = array<i64: 2>, epsilon = 9.9999999747524271E-7 : f64}
// CHECK-NOT: ane.mul
// CHECK: return
func.func @rms(%x: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  %two = ane.const dense<2.0> : tensor<f32>
  %eps = ane.const dense<1.0e-6> : tensor<f32>
  %g = ane.const dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %0 = ane.pow %x, %two : tensor<1x4x6xf32>, tensor<f32>
  %1 = ane.reduce_mean %0 {axes = array<i64: -1>, keep_dims = true} : (tensor<1x4x6xf32>) -> tensor<1x4x1xf32>
  %2 = ane.add %1, %eps : tensor<1x4x1xf32>, tensor<f32>
  %3 = ane.rsqrt %2 : tensor<1x4x1xf32>
  %4 = ane.mul %x, %3 : tensor<1x4x6xf32>, tensor<1x4x1xf32>
  %5 = ane.mul %g, %4 : tensor<6xf32>, tensor<1x4x6xf32>
  return %5 : tensor<1x4x6xf32>
}

// CHECK-LABEL: func.func @layer
// CHECK: ane.layer_norm %arg0 gamma %{{.*}} beta %{{.*}} {axes = array<i64: 2>
// CHECK-NOT: ane.sub
// CHECK: return
func.func @layer(%x: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  %eps = ane.const dense<1.0e-5> : tensor<f32>
  %g = ane.const dense<[[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]]> : tensor<1x1x6xf32>
  %b = ane.const dense<[1.0, 2.0, 3.0, 4.0, 5.0, 7.0]> : tensor<6xf32>
  %m = ane.reduce_mean %x {axes = array<i64: 2>, keep_dims = true} : (tensor<1x4x6xf32>) -> tensor<1x4x1xf32>
  %d = ane.sub %x, %m : tensor<1x4x6xf32>, tensor<1x4x1xf32>
  %0 = ane.mul %d, %d : tensor<1x4x6xf32>, tensor<1x4x6xf32>
  %1 = ane.reduce_mean %0 {axes = array<i64: 2>, keep_dims = true} : (tensor<1x4x6xf32>) -> tensor<1x4x1xf32>
  %2 = ane.add %eps, %1 : tensor<f32>, tensor<1x4x1xf32>
  %3 = ane.sqrt %2 : tensor<1x4x1xf32>
  %4 = ane.real_div %d, %3 : tensor<1x4x6xf32>, tensor<1x4x1xf32>
  %5 = ane.mul %4, %g : tensor<1x4x6xf32>, tensor<1x1x6xf32>
  %6 = ane.add %5, %b : tensor<1x4x6xf32>, tensor<6xf32>
  return %6 : tensor<1x4x6xf32>
}

// The mean of another value's squares; a mean that isn't along the last axes.
// CHECK-LABEL: func.func @no_norm
// CHECK-NOT: _norm
// CHECK: return
func.func @no_norm(%x: tensor<1x4x6xf32>, %y: tensor<1x4x6xf32>) -> (tensor<1x4x6xf32>, tensor<1x4x6xf32>) {
  %eps = ane.const dense<1.0e-5> : tensor<f32>
  %0 = ane.square %y : tensor<1x4x6xf32>
  %1 = ane.reduce_mean %0 {axes = array<i64: 2>, keep_dims = true} : (tensor<1x4x6xf32>) -> tensor<1x4x1xf32>
  %2 = ane.add %eps, %1 : tensor<f32>, tensor<1x4x1xf32>
  %3 = ane.sqrt %2 : tensor<1x4x1xf32>
  %4 = ane.real_div %x, %3 : tensor<1x4x6xf32>, tensor<1x4x1xf32>
  %5 = ane.square %x : tensor<1x4x6xf32>
  %6 = ane.reduce_mean %5 {axes = array<i64: 1>, keep_dims = true} : (tensor<1x4x6xf32>) -> tensor<1x1x6xf32>
  %7 = ane.add %eps, %6 : tensor<f32>, tensor<1x1x6xf32>
  %8 = ane.sqrt %7 : tensor<1x1x6xf32>
  %9 = ane.real_div %x, %8 : tensor<1x4x6xf32>, tensor<1x1x6xf32>
  return %4, %9 : tensor<1x4x6xf32>, tensor<1x4x6xf32>
}
