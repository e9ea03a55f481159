// RUN: ane-opt %s --ane-append-loss | FileCheck %s
// RUN: ane-opt %s --ane-append-loss='axis=-1 ignore=255' | FileCheck %s --check-prefix=LAST
// RUN: ane-opt %s --ane-append-loss='class-weights=1,2,0.5 label-smoothing=0.25' | FileCheck %s --check-prefix=WEIGHTS
// RUN: not ane-opt %s --ane-append-loss='class-weights=1,2' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: ane-opt %s --ane-append-loss='kind=bce positive-weights=1,2,3' | FileCheck %s --check-prefix=POSITIVE
// RUN: not ane-opt %s --ane-append-loss='axis=one' 2>&1 | FileCheck %s --check-prefix=AXIS

// Axis 1 of three and more has the classes, and the trainer learns how many there are; the share of targets that count is a result.
// CHECK: %[[T:[a-z0-9]+]]: tensor<2x5x7xi64> {ane.io_name = "target", ane.range = {max = 2 : i64, min = 0 : i64, reader = "the loss"}})
// CHECK-SAME: tensor<f32> {ane.io_name = "loss"}, tensor<f32> {ane.io_name = "loss_share"})
// CHECK: ane.log_softmax %{{.*}} {axis = 1 : i64}
// LAST: tensor<2x3x5xi64> {ane.io_name = "target", ane.range = {max = 6 : i64
// LAST: ane.const dense<255>
// LAST: ane.log_softmax %{{.*}} {axis = 3 : i64}
// WEIGHTS: ane.const dense<{{.*}}1.000000e+00{{.*}}2.000000e+00{{.*}}5.000000e-01{{.*}} : tensor<1x3x1x1xf32>
// WEIGHTS: ane.reduce_sum %{{.*}} {axes = array<i64: 1>
// COUNT: error: class-weights: has 2 numbers, and there are 3 classes along the output's axis of classes
// POSITIVE: ane.const dense<{{.*}}0.000000e+00{{.*}}1.000000e+00{{.*}}2.000000e+00{{.*}} : tensor<1x3x1x1xf32>
// POSITIVE: ane.softplus
// AXIS: error: axis=one: expected a number, or auto
func.func @main(%x: tensor<2x3x5x7xf32> {ane.io_name = "x"}) -> (tensor<2x3x5x7xf32> {ane.io_name = "y"}) {
  %0 = ane.tanh %x : tensor<2x3x5x7xf32>
  return %0 : tensor<2x3x5x7xf32>
}
