// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-attention)))' | FileCheck %s

// A module that trains: what softmax reads is finite, whatever the weights have become.
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 27, opset = ios16, strictness = evidence>,
                   ane.training = {step = "train", evaluate = "evaluate", loss = "model", target = "", loss_scale = "loss_scale", ignore = -100 : i64,
                                   sweep = 1024 : i64, optimizers = {}, squares = "squares", add = "add"}} {
// Before the mask, behind the factor.
// CHECK-LABEL: @masked
// CHECK: engine {
// CHECK: %[[S:.*]] = ane.matmul
// CHECK-NEXT: %[[C:.*]] = ane.const dense<2.500000e-01>
// CHECK: %[[F:.*]] = ane.mul %{{.*}}, %[[S]]
// CHECK-NEXT: %[[CLIPPED:.*]] = ane.clip %[[F]] {alpha = -6.550400e+04 : f64, {{.*}}beta = 6.550400e+04 : f64}
// CHECK-NEXT: ane.add %[[CLIPPED]]
// CHECK-NOT: ane.clip
// CHECK: twin {
// CHECK-NOT: ane.clip
func.func @masked(%q: tensor<2x8x16xf32>, %k: tensor<2x64x16xf32>, %v: tensor<2x64x16xf32>, %m: tensor<8x64xf32>) -> tensor<2x8x16xf32> {
  %0 = ane.matmul %q, %k {transpose_y = true} : (tensor<2x8x16xf32>, tensor<2x64x16xf32>) -> tensor<2x8x64xf32>
  %c = ane.const dense<0.25> : tensor<f32>
  %1 = ane.mul %c, %0 : tensor<f32>, tensor<2x8x64xf32>
  %2 = ane.add %1, %m : tensor<2x8x64xf32>, tensor<8x64xf32>
  %3 = ane.softmax %2 {axis = -1 : i64} : tensor<2x8x64xf32>
  %4 = ane.matmul %3, %v : (tensor<2x8x64xf32>, tensor<2x64x16xf32>) -> tensor<2x8x16xf32>
  return %4 : tensor<2x8x16xf32>
}

// In parts of 256 keys, each part's scores.
// CHECK-LABEL: @parts
// CHECK: engine {
// CHECK-COUNT-2: ane.clip
// CHECK-NOT: tensor<2x8x300xf32>
// CHECK: twin {
func.func @parts(%q: tensor<2x8x16xf32>, %k: tensor<2x300x16xf32>, %v: tensor<2x300x16xf32>) -> tensor<2x8x16xf32> {
  %0 = ane.matmul %q, %k {transpose_y = true} : (tensor<2x8x16xf32>, tensor<2x300x16xf32>) -> tensor<2x8x300xf32>
  %2 = ane.softmax %0 {axis = -1 : i64} : tensor<2x8x300xf32>
  %3 = ane.matmul %2, %v : (tensor<2x8x300xf32>, tensor<2x300x16xf32>) -> tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}

// No product: an input is what it is, and a tangent is bounded.
// CHECK-LABEL: @others
// CHECK-NOT: ane.clip
func.func @others(%s: tensor<2x8x64xf32>, %q: tensor<2x8x16xf32>, %k: tensor<2x64x16xf32>) -> (tensor<2x8x64xf32>, tensor<2x8x64xf32>) {
  %0 = ane.softmax %s {axis = -1 : i64} : tensor<2x8x64xf32>
  %1 = ane.matmul %q, %k {transpose_y = true} : (tensor<2x8x16xf32>, tensor<2x64x16xf32>) -> tensor<2x8x64xf32>
  %2 = ane.tanh %1 : tensor<2x8x64xf32>
  %3 = ane.softmax %2 {axis = -1 : i64} : tensor<2x8x64xf32>
  return %0, %3 : tensor<2x8x64xf32>, tensor<2x8x64xf32>
}
}
