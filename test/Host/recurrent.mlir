// RUN: ane-opt %s --split-input-file --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --split-input-file --ane-host-compile=print-kernels=true -o /dev/null -verify-diagnostics | FileCheck %s

// OP-LABEL: @lstm
// OP: host.kernel product(
// OP: host.kernel recurrence(
// OP: host.recurrence lstm
// The product of all steps with the input weights is one kernel; the steps are a loop in another, whose gates and states
// stand on the stack.
// CHECK: func.func private @{{.*}}linear
// CHECK: func.func private @{{.*}}lstm
// CHECK: memref.alloca() {{.*}} : memref<256xf32>
// CHECK-COUNT-2: memref.alloca() {{.*}} : memref<64xf32>
// CHECK: %[[STEPS:.*]] = arith.constant 500 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[STEPS]] step
// CHECK: memref.store %{{.*}} : memref<256xf32>
// CHECK: math.fma
func.func @lstm(%x: tensor<500x1x32xf32>, %h: tensor<1x64xf32>, %w: tensor<256x32xf32>, %r: tensor<256x64xf32>) -> tensor<500x1x64xf32> {
  %y, %h1, %c1 = ane.lstm %x, %h, %h, %w, %r {output_sequence = true} : (tensor<500x1x32xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<256x32xf32>, tensor<256x64xf32>) -> (tensor<500x1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>)
  return %y : tensor<500x1x64xf32>
}

// -----

func.func @activation(%x: tensor<5x1x3xf32>, %h: tensor<1x4xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>) -> tensor<1x4xf32> {
  // expected-error@+1 {{has no CPU lowering for activation 'linear'; supported: tanh, sigmoid, relu}}
  %y, %h1 = ane.rnn %x, %h, %w, %r {activation = "linear"} : (tensor<5x1x3xf32>, tensor<1x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>) -> (tensor<1x1x4xf32>, tensor<1x4xf32>)
  return %h1 : tensor<1x4xf32>
}
