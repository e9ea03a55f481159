// RUN: ane-opt %s --ane-form-islands | FileCheck %s
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-form-islands{layers=1}))' | FileCheck %s --check-prefix=LAYERS

// A cut separates an op from those that it reads on the engine; two leave a place for an island between.
// CHECK-LABEL: func.func @cut
// CHECK: %[[A:.*]]:2 = ane.island(
// CHECK: twin {
// CHECK: ane.relu
// CHECK: ane.erf
// CHECK-NOT: ane.tanh
// CHECK: %[[B:.*]] = ane.island(%[[A]]#0)
// CHECK: ane.tanh
// CHECK-NOT: ane.exp
// CHECK: ane.island(
// CHECK: ane.exp
// CHECK: ane.add
// CHECK: return
func.func @cut(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %a = ane.relu %x : tensor<1x8xf32>
  %b = ane.erf %a : tensor<1x8xf32>
  %t = ane.tanh %a {ane.cut = 1 : i64} : tensor<1x8xf32>
  %e = ane.exp %b {ane.cut = 2 : i64} : tensor<1x8xf32>
  %r = ane.add %t, %e : tensor<1x8xf32>, tensor<1x8xf32>
  return %r : tensor<1x8xf32>
}

// What is computed anew is where it is read, behind the CPU's op, with what it is made of.
// CHECK-LABEL: func.func @recomputed
// CHECK: ane.island(
// CHECK: ane.relu
// CHECK-NOT: ane.tanh
// CHECK: ane.sign
// CHECK: ane.island(
// CHECK: twin {
// CHECK: ane.square {{.*}}ane.recomputed
// CHECK: ane.tanh {{.*}}ane.recomputed
// CHECK: ane.mul
// CHECK: return
func.func @recomputed(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %s = ane.square %x {ane.recomputed} : tensor<1x8xf32>
  %t = ane.tanh %s {ane.recomputed} : tensor<1x8xf32>
  %a = ane.relu %x : tensor<1x8xf32>
  %h = ane.sign %a {ane.host = #ane.host<"C99", "a test">} : tensor<1x8xf32>
  %r = ane.mul %t, %h : tensor<1x8xf32>, tensor<1x8xf32>
  return %r : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @layers
// CHECK: ane.island(
// CHECK-NOT: ane.island(
// CHECK: return
// LAYERS-LABEL: func.func @layers
// LAYERS-COUNT-3: ane.island(
// LAYERS-NOT: ane.island(
// LAYERS: return
func.func @layers(%x: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %a = ane.softmax %x {axis = -1 : i64} : tensor<1x4x8xf32>
  %b = ane.softmax %a {axis = -1 : i64} : tensor<1x4x8xf32>
  %c = ane.softmax %b {axis = -1 : i64} : tensor<1x4x8xf32>
  return %c : tensor<1x4x8xf32>
}
