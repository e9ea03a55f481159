// RUN: ane-opt %s --ane-autodiff='wrt=x stop=detached' | FileCheck %s
// RUN: not ane-opt %s --ane-autodiff='wrt=x stop=other' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// The gradient is the factor alone: what is stopped counts as a constant.
// CHECK-LABEL: func.func @main_gradients(
// CHECK: %[[Y:.*]] = ane.exp
// CHECK-NOT: ane.add
// CHECK: ane.tile
// CHECK-NEXT: %[[G:.*]] = ane.mul %{{.*}}, %[[Y]]
// CHECK-NEXT: return %{{.*}}, %[[G]]
// UNKNOWN: error: stop=other: nothing is called so; known: detached
func.func @main(%x: tensor<4xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %0 = ane.exp %x : tensor<4xf32> loc("detached")
  %1 = ane.mul %x, %0 : tensor<4xf32>, tensor<4xf32>
  %2 = ane.reduce_sum %1 : (tensor<4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
