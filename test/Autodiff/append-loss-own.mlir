// RUN: ane-opt %s --ane-append-loss=kind=model | FileCheck %s

// A scalar of any name, type and rank is the loss of a model that has its own; what else it gives goes.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> (tensor<1xf32> {ane.io_name = "loss"})
// CHECK: %[[OWN:.*]] = ane.reduce_sum
// CHECK: %[[WIDE:.*]] = ane.cast %[[OWN]]
// CHECK: return %[[WIDE]]
func.func @main(%x: tensor<4xf16> {ane.io_name = "x"}) -> (tensor<4xf16> {ane.io_name = "y"}, tensor<1xf16> {ane.io_name = "energy"}) {
  %0 = ane.square %x : tensor<4xf16>
  %1 = ane.reduce_sum %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<4xf16>) -> tensor<1xf16>
  return %0, %1 : tensor<4xf16>, tensor<1xf16>
}
