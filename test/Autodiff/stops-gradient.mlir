// RUN: ane-opt %s --canonicalize --ane-autodiff=wrt=x | FileCheck %s

// PyTorch's detach: canonicalisation leaves it, and the gradient is the factor alone.
// CHECK-LABEL: func.func @main_gradients(
// CHECK: %[[Y:.*]] = ane.exp
// CHECK: %[[STOP:.*]] = ane.identity %[[Y]] {ane.stops_gradient}
// CHECK-NOT: ane.add
// CHECK: ane.tile
// CHECK: %[[G:.*]] = ane.mul %{{.*}}, %[[STOP]]
// CHECK: return %{{.*}}, %[[G]]
func.func @main(%x: tensor<4xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %0 = ane.exp %x : tensor<4xf32>
  %1 = ane.identity %0 {ane.stops_gradient} : tensor<4xf32>
  %2 = ane.mul %x, %1 : tensor<4xf32>, tensor<4xf32>
  %3 = ane.reduce_sum %2 : (tensor<4xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}
