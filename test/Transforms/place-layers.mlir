// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place-layers{engine-parts=no-attention}))' | FileCheck %s --check-prefixes=CHECK,HALVES
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place-layers{engine-parts=linears}))' | FileCheck %s --check-prefixes=CHECK,THIRDS
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place-layers))' | FileCheck %s --check-prefix=ALL
// RUN: not ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place-layers{engine-parts=most}))' 2>&1 | FileCheck %s --check-prefix=WRONG

// ALL-NOT: ane.host
// WRONG: error: no parts 'most' for the engine: all, no-attention, linears, training-static or training-dynamic

// CHECK-LABEL: func.func @layer
// HALVES-NOT: ane.host
// THIRDS: ane.rms_norm {{.*}}#ane.host<"partition", "only linears and MLPs are given to the engine">
// THIRDS-NOT: ane.host
// CHECK: ane.linear
// THIRDS: ane.matmul {{.*}}ane.host
// HALVES: ane.matmul {{.*}}#ane.host<"partition", "attention and residual sums are kept on the CPU">
// CHECK: ane.softmax {{.*}}ane.host
// CHECK: ane.matmul {{.*}}ane.host
// HALVES: ane.linear {{.*}}ane.host
// THIRDS-NOT: ane.linear {{.*}}ane.host
// CHECK: ane.add {{.*}}ane.host
// THIRDS: ane.rms_norm {{.*}}ane.host
// CHECK-NOT: ane.host
// CHECK: ane.silu
// CHECK-NOT: ane.host
// CHECK: ane.mul
// CHECK-NOT: ane.host
// CHECK: ane.add {{.*}}ane.host
// CHECK-NOT: ane.host
// CHECK: return
func.func @layer(%x: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %g = ane.const #ane.weight<"w.bin", 0, 32> : tensor<8xf32>
  %w = ane.const #ane.weight<"w.bin", 64, 256> : tensor<8x8xf32>
  %0 = ane.rms_norm %x gamma %g {epsilon = 1.0e-5} : (tensor<1x4x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %1 = ane.linear %0, %w : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %2 = ane.matmul %1, %1 {transpose_y = true} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x4xf32>
  %3 = ane.softmax %2 {axis = -1 : i64} : tensor<1x4x4xf32>
  %4 = ane.matmul %3, %1 : (tensor<1x4x4xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %5 = ane.linear %4, %w : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %6 = ane.add %x, %5 : tensor<1x4x8xf32>, tensor<1x4x8xf32>
  %7 = ane.rms_norm %6 gamma %g {epsilon = 1.0e-5} : (tensor<1x4x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %8 = ane.linear %7, %w : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %9 = ane.silu %8 : tensor<1x4x8xf32>
  %10 = ane.mul %9, %8 : tensor<1x4x8xf32>, tensor<1x4x8xf32>
  %11 = ane.linear %10, %w : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %12 = ane.add %6, %11 : tensor<1x4x8xf32>, tensor<1x4x8xf32>
  return %12 : tensor<1x4x8xf32>
}
