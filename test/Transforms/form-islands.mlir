// RUN: ane-opt %s --ane-form-islands | FileCheck %s

// Ops with a host mark stay outside; the engine ops around one form two islands, not three.
// CHECK-LABEL: func.func @two_levels
// CHECK-SAME: (%[[X:.*]]: tensor<1x8xf32>)
// CHECK: %[[A:.*]]:2 = ane.island(%[[X]]) : (tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>)
// CHECK-SAME: engine {
// CHECK-NEXT: } twin {
// CHECK: ane.relu
// CHECK: ane.tanh
// CHECK: ane.yield
// CHECK: %[[H:.*]] = ane.erf %[[A]]#0 {ane.host
// CHECK: %[[B:.*]] = ane.island(%[[H]], %[[A]]#1)
// CHECK: twin {
// CHECK: %[[C:.*]] = ane.const dense<2.0
// CHECK: ane.mul {{.*}}, %[[C]]
// CHECK: ane.add
// CHECK: return %[[B]]
func.func @two_levels(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %c = ane.const dense<2.0> : tensor<f32>
  %a = ane.relu %x : tensor<1x8xf32>
  %h = ane.erf %a {ane.host = #ane.host<"C99", "a test">} : tensor<1x8xf32>
  %b = ane.mul %h, %c : tensor<1x8xf32>, tensor<f32>
  %t = ane.tanh %x : tensor<1x8xf32>
  %r = ane.add %b, %t : tensor<1x8xf32>, tensor<1x8xf32>
  return %r : tensor<1x8xf32>
}

// An op that no engine op feeds is on the first level, wherever it stands.
// CHECK-LABEL: func.func @all_engine
// CHECK: ane.island
// CHECK-NOT: ane.island
// CHECK: return
func.func @all_engine(%x: tensor<1x8xf32>, %y: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  %a = ane.relu %x : tensor<1x8xf32>
  %b = ane.tanh %y : tensor<1x8xf32>
  return %a, %b : tensor<1x8xf32>, tensor<1x8xf32>
}

// Each island computes the truth values that it reads: the comparison is made again in the second, where only its second
// operand's value comes from, and moved away from the first, whose numbers it gets.
// CHECK-LABEL: func.func @truth
// CHECK: %[[A:.*]]:2 = ane.island(%{{.*}}, %{{.*}}) : ({{.*}}) -> (tensor<1x8xf32>, tensor<1x8xf32>)
// CHECK: twin {
// CHECK: ane.less
// CHECK: ane.select
// CHECK: %[[H:.*]] = ane.erf
// CHECK: ane.island
// CHECK-SAME: -> tensor<1x8xf32>
// CHECK: twin {
// CHECK: ane.less
// CHECK: ane.not_equal
// CHECK: ane.select
// CHECK: ane.select
func.func @truth(%x: tensor<1x8xf32>, %y: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %zero = ane.const dense<0.0> : tensor<f32>
  %l = ane.less %x, %y : tensor<1x8xf32>, tensor<1x8xf32>
  %a = ane.select %l, %x, %zero : tensor<1x8xi1>, tensor<1x8xf32>, tensor<f32>
  %r = ane.relu %x : tensor<1x8xf32>
  %n = ane.not_equal %r, %zero : tensor<1x8xf32>, tensor<f32>
  %h = ane.erf %a {ane.host = #ane.host<"C99", "a test">} : tensor<1x8xf32>
  %b = ane.select %l, %h, %zero : tensor<1x8xi1>, tensor<1x8xf32>, tensor<f32>
  %c = ane.select %n, %b, %zero : tensor<1x8xi1>, tensor<1x8xf32>, tensor<f32>
  return %c : tensor<1x8xf32>
}
