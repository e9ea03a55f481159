// RUN: ane-opt %s --ane-bound-inputs | FileCheck %s

// Indices that count from the end, through what only moves them; the tightest of several bounds holds.
// CHECK-LABEL: func.func @indices
// CHECK-SAME: %arg0: tensor<1x4xi64> {ane.range = {max = 9 : i64, min = -10 : i64, reader = "ane.gather"}}
// CHECK-SAME: %arg1: tensor<4xi32> {ane.range = {max = 6 : i64, min = 0 : i64, reader = "ane.gather"}}
func.func @indices(%ids: tensor<1x4xi64>, %positions: tensor<4xi32>, %table: tensor<10x8xf32>, %short: tensor<7x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = ane.const dense<0> : tensor<i64>
  %size = ane.const dense<10> : tensor<i64>
  %flat = ane.reshape %ids {shape = array<i64: 4>} : (tensor<1x4xi64>) -> tensor<4xi64>
  %negative = ane.less %flat, %zero : tensor<4xi64>, tensor<i64>
  %sum = ane.add %flat, %size : tensor<4xi64>, tensor<i64>
  %chosen = ane.select %negative, %sum, %flat : tensor<4xi1>, tensor<4xi64>, tensor<4xi64>
  %0 = ane.gather %table, %chosen : (tensor<10x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  %1 = ane.gather %table, %positions : (tensor<10x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %2 = ane.gather %short, %positions : (tensor<7x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// Computed indices, a part of an input, another size than the table's: no bound.
// CHECK-LABEL: func.func @computed
// CHECK-NOT: ane.range
// CHECK: return
func.func @computed(%a: tensor<4xi64>, %b: tensor<8xi64>, %c: tensor<4xi64>, %table: tensor<10x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = ane.const dense<0> : tensor<i64>
  %size = ane.const dense<5> : tensor<i64>
  %a1 = ane.add %a, %size : tensor<4xi64>, tensor<i64>
  %b1 = ane.slice_by_size %b {begin = array<i64: 2>, size = array<i64: 4>} : (tensor<8xi64>) -> tensor<4xi64>
  %less = ane.less %c, %zero : tensor<4xi64>, tensor<i64>
  %sum = ane.add %c, %size : tensor<4xi64>, tensor<i64>
  %c1 = ane.select %less, %sum, %c : tensor<4xi1>, tensor<4xi64>, tensor<4xi64>
  %0 = ane.gather %table, %a1 : (tensor<10x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  %1 = ane.gather %table, %b1 : (tensor<10x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  %2 = ane.gather %table, %c1 : (tensor<10x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
