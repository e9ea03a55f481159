// RUN: ane-opt %s --split-input-file --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --split-input-file --ane-host-compile=print-kernels=true -o /dev/null -verify-diagnostics | FileCheck %s

// OP-LABEL: @boxes
// OP: host.kernel boxes(
// OP-NEXT: ane.non_maximum_suppression
// Each search compares a box with those taken before only where its score is the best so far.
// CHECK-LABEL: func.func private @non_maximum_suppression_{{[0-9a-f]+}}(
// CHECK: %[[MOST:.*]] = arith.constant 10 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[MOST]] step
// CHECK: scf.if
// CHECK: scf.for
// CHECK: arith.divf
// CHECK: memref.store %{{.*}} : memref<30xi32>
func.func @boxes(%b: tensor<3x50x4xf32>, %s: tensor<3x50x1xf32>) -> tensor<3x10xi32> {
  %0:4 = ane.non_maximum_suppression %b, %s {iou_threshold = 0.5 : f64, max_boxes = 10 : i64} : (tensor<3x50x4xf32>, tensor<3x50x1xf32>) -> (tensor<3x10x4xf32>, tensor<3x10x1xf32>, tensor<3x10xi32>, tensor<3xi32>)
  return %0#2 : tensor<3x10xi32>
}

// -----

func.func @classes(%b: tensor<3x50x4xf32>, %s: tensor<3x50x2xf32>) -> tensor<3x10xi32> {
  // expected-error@+1 {{has no CPU lowering with scores of 2 classes, limit 1; remedy: suppress each class by itself}}
  %0:4 = ane.non_maximum_suppression %b, %s {iou_threshold = 0.5 : f64, max_boxes = 10 : i64} : (tensor<3x50x4xf32>, tensor<3x50x2xf32>) -> (tensor<3x10x4xf32>, tensor<3x10x2xf32>, tensor<3x10xi32>, tensor<3xi32>)
  return %0#2 : tensor<3x10xi32>
}
