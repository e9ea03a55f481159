// Each sweep of an optimiser reads and writes its arrays once: it has one kernel on arrays. Kernels on single numbers may stand before it.
// RUN: ane-opt %s --ane-append-loss=kind=mse --ane-weights-as-inputs --ane-autodiff='loss=loss loss-scale=true' \
// RUN:   --ane-make-training='loss=mse target=target' --ane-host-prepare --ane-host-cluster | FileCheck %s

// CHECK-LABEL: func.func @adamw({{.*$}}
// CHECK-NOT: tensor<1024xf32>
// CHECK: %[[ALL:.*]]:3 = host.kernel elementwise({{.*}} -> (tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) {
// CHECK: host.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %[[ALL]]

// CHECK-LABEL: func.func @lion({{.*$}}
// CHECK-NOT: tensor<1024xf32>
// CHECK: %[[ALL:.*]]:2 = host.kernel elementwise({{.*}} -> (tensor<1024xf32>, tensor<1024xf32>) {
// CHECK: host.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %[[ALL]]

// CHECK-LABEL: func.func @sgd({{.*$}}
// CHECK-NOT: tensor<1024xf32>
// CHECK: %[[ALL:.*]]:2 = host.kernel elementwise({{.*}} -> (tensor<1024xf32>, tensor<1024xf32>) {
// CHECK: host.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %[[ALL]]

// Sums of rows of 1,024, which threads share, and their sum.
// CHECK-LABEL: func.func @squares({{.*$}}
// CHECK-NEXT: %[[ROWS:.*]] = host.kernel row({{.*}} : (tensor<1024xf32>) -> tensor<1xf32> {
// CHECK: host.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[ALL:.*]] = host.kernel row({{.*}} = %[[ROWS]]) : (tensor<1xf32>) -> tensor<1xf32> {
// CHECK: host.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %[[ALL]]

// CHECK-LABEL: func.func @add({{.*$}}
// CHECK-NEXT: %[[ALL:.*]] = host.kernel elementwise({{.*}} -> tensor<1024xf32> {
// CHECK: host.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %[[ALL]]
module attributes {ane.weights = {w = #ane.weight<"w.bin", 0, 64> : tensor<4x4xf32>}} {
  func.func @main(%x: tensor<4x4xf32> {ane.io_name = "x"}) -> (tensor<4x4xf32> {ane.io_name = "y"}) {
    %w = ane.const #ane.weight<"w.bin", 0, 64> : tensor<4x4xf32>
    %0 = ane.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
