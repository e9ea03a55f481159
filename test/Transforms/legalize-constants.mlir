// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-constants)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 27, opset = ios16, strictness = evidence>} {
// The mask is one for all heads: heads are the batch.
// CHECK-LABEL: @mask
// CHECK: engine {
// CHECK: %[[C:.*]] = ane.reshape %{{.*}}shape = array<i64: 1, 64, 1, 1>}
// CHECK: %[[X:.*]] = ane.reshape %{{.*}}shape = array<i64: 4, 64, 1, 1>}
// CHECK: ane.add %[[X]], %[[C]]
// CHECK: twin {
func.func @mask(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %c = ane.const dense<0.5> : tensor<1x1x8x8xf32>
  %0 = ane.add %x, %c : tensor<1x4x8x8xf32>, tensor<1x1x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// The order of operands stays.
// CHECK-LABEL: @order
// CHECK: engine {
// CHECK: ane.sub {{.*}} : tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>
// CHECK: twin {
func.func @order(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %c = ane.const dense<0.5> : tensor<1x4x8x8xf32>
  %0 = ane.sub %c, %x : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// Repeated along the rows: no channels.
// CHECK-LABEL: @rows
// CHECK: engine {
// CHECK-NOT: ane.reshape
// CHECK: twin {
func.func @rows(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %c = ane.const dense<0.5> : tensor<1x4x1x8xf32>
  %0 = ane.add %x, %c : tensor<1x4x8x8xf32>, tensor<1x4x1x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}
}
