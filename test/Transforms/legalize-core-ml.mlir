// RUN: ane-opt %s --ane-legalize-core-ml --split-input-file --verify-diagnostics | FileCheck %s

// Composites become what MIL has; int64 becomes int32, also in constants.
// CHECK-LABEL: func.func @types(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xf32>)
// CHECK-SAME: -> (tensor<2x3xi32>, tensor<2x3xf32>)
// CHECK: %[[C:.*]] = ane.const dense<7> : tensor<i64>
// CHECK: %[[I:.*]] = ane.cast %[[C]] {dtype = "int32"}
// CHECK: ane.add %arg0, %[[I]] : tensor<2x3xi32>, tensor<i32>
// CHECK: ane.mul
// CHECK-NOT: ane.neg
module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 13, opset = ios16, strictness = catalog>} {
  func.func @types(%x: tensor<2x3xi64>, %y: tensor<2x3xf64>) -> (tensor<2x3xi64>, tensor<2x3xf64>) {
    %c = ane.const dense<7> : tensor<i64>
    %0 = ane.add %x, %c : tensor<2x3xi64>, tensor<i64>
    %1 = ane.neg %y : tensor<2x3xf64>
    return %0, %1 : tensor<2x3xi64>, tensor<2x3xf64>
  }
}

// -----

// Bools are fp32 outside, what has no axes has one there, and every output is the result of an op of its own.
// CHECK-LABEL: func.func @border(%arg0: tensor<4xf32>, %arg1: tensor<1xf32>, %arg2: tensor<3xf32>)
// CHECK-SAME: -> (tensor<4xf32>, tensor<1xf32>, tensor<3xf32>, tensor<3xf32>)
// CHECK-DAG: %[[BOOL:.*]] = ane.cast %arg0 {dtype = "bool"}
// CHECK-DAG: %[[SCALAR:.*]] = ane.squeeze %arg1 {axes = array<i64: 0>}
// CHECK: %[[NOT:.*]] = ane.logical_not %[[BOOL]]
// CHECK: %[[RELU:.*]] = ane.relu %[[SCALAR]]
// CHECK: %[[A:.*]] = ane.cast %[[NOT]] {dtype = "fp32"}
// CHECK: %[[B:.*]] = ane.reshape %[[RELU]] {shape = array<i64: 1>}
// CHECK: %[[C:.*]] = ane.identity %arg2
// CHECK: %[[D:.*]] = ane.identity %arg2
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 13, opset = ios16, strictness = catalog>} {
  func.func @border(%x: tensor<4xi1>, %y: tensor<f32>, %z: tensor<3xf32>)
      -> (tensor<4xi1>, tensor<f32>, tensor<3xf32>, tensor<3xf32>) {
    %0 = ane.logical_not %x : tensor<4xi1>
    %1 = ane.relu %y : tensor<f32>
    return %0, %1, %z, %z : tensor<4xi1>, tensor<f32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// An input that nothing reads is read by an identity.
// CHECK-LABEL: func.func @unread
// CHECK: ane.identity %arg1
module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 13, opset = ios16, strictness = catalog>} {
  func.func @unread(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = ane.relu %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// A condition that is larger than what is selected from widens it, and gather moves integers in the place of bools.
// CHECK-LABEL: func.func @bools
// CHECK: %[[WIDE:.*]] = ane.tile {{.*}} {reps = array<i64: 2, 3>}
// CHECK: ane.select %{{.*}}, %[[WIDE]],
// CHECK: %[[INTS:.*]] = ane.cast {{.*}} {dtype = "int32"} : (tensor<2x3xi1>) -> tensor<2x3xi32>
// CHECK: %[[TAKEN:.*]] = ane.gather %[[INTS]]
// CHECK: ane.cast %[[TAKEN]] {dtype = "bool"}
module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 13, opset = ios16, strictness = catalog>} {
  func.func @bools(%x: tensor<2x3xf32>, %a: tensor<f32>, %i: tensor<1xi32>) -> (tensor<2x3xf32>, tensor<1x3xi1>) {
    %b = ane.const dense<1.0> : tensor<f32>
    %0 = ane.less %x, %b : tensor<2x3xf32>, tensor<f32>
    %1 = ane.select %0, %a, %b : tensor<2x3xi1>, tensor<f32>, tensor<f32>
    %2 = ane.gather %0, %i {axis = 0 : i64} : (tensor<2x3xi1>, tensor<1xi32>) -> tensor<1x3xi1>
    return %1, %2 : tensor<2x3xf32>, tensor<1x3xi1>
  }
}

// -----

// Six axes become five where neighbours are alike.
// CHECK-LABEL: func.func @rank
// CHECK-NOT: tensor<{{[0-9]+x[0-9]+x[0-9]+x[0-9]+x[0-9]+x[0-9]+x}}
module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 13, opset = ios16, strictness = catalog>} {
  func.func @rank(%x: tensor<2x12x2x4xf32>) -> tensor<2x3x4x8xf32> {
    %0 = ane.reshape %x {shape = array<i64: 2, 3, 2, 2, 2, 4>} : (tensor<2x12x2x4xf32>) -> tensor<2x3x2x2x2x4xf32>
    %1 = ane.transpose %0 {perm = array<i64: 0, 1, 4, 2, 5, 3>} : (tensor<2x3x2x2x2x4xf32>) -> tensor<2x3x2x2x4x2xf32>
    %2 = ane.relu %1 : tensor<2x3x2x2x4x2xf32>
    %3 = ane.reshape %2 {shape = array<i64: 2, 3, 4, 8>} : (tensor<2x3x2x2x4x2xf32>) -> tensor<2x3x4x8xf32>
    return %3 : tensor<2x3x4x8xf32>
  }
}

// -----

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 13, opset = ios16, strictness = catalog>} {
  func.func @large(%x: tensor<2xi64>) -> tensor<2xi64> {
    // expected-error @+1 {{the constant 4294967296 is beyond the integers of Core ML, which have 32 bits}}
    %c = ane.const dense<4294967296> : tensor<i64>
    %0 = ane.add %x, %c : tensor<2xi64>, tensor<i64>
    return %0 : tensor<2xi64>
  }
}

// -----

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 13, opset = ios16, strictness = catalog>} {
  func.func @unspelled(%x: tensor<2xi32>, %s: tensor<1x1x4x8xf32>) -> (tensor<2xi32>, tensor<1x1x4x4x2x1x1xf32>) {
    // expected-error @+1 {{'ane.bitwise_and' op has no operation in Core ML}}
    %0 = ane.bitwise_and %x, %x : tensor<2xi32>, tensor<2xi32>
    // expected-error @+1 {{'ane.reshape' op has a result of rank 7, Core ML's operations have at most 5 axes}}
    %1 = ane.reshape %s {shape = array<i64: 1, 1, 4, 4, 2, 1, 1>} : (tensor<1x1x4x8xf32>) -> tensor<1x1x4x4x2x1x1xf32>
    return %0, %1 : tensor<2xi32>, tensor<1x1x4x4x2x1x1xf32>
  }
}

// -----

// What constants compute is looked at, too, in each function of a model.
module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 13, opset = ios16, strictness = catalog>} {
  func.func @fits(%x: tensor<2xi64>) -> tensor<2xi64> {
    %c = ane.const dense<[1, 2]> : tensor<2xi64>
    %0 = ane.add %x, %c : tensor<2xi64>, tensor<2xi64>
    return %0 : tensor<2xi64>
  }
  func.func @computed(%x: tensor<2xi64>) -> tensor<2xi64> {
    %c = ane.const dense<[2147483647, 2]> : tensor<2xi64>
    // expected-error @+1 {{the constant 4294967294 is beyond the integers of Core ML}}
    %1 = ane.add %c, %c : tensor<2xi64>, tensor<2xi64>
    %0 = ane.mul %x, %1 : tensor<2xi64>, tensor<2xi64>
    return %0 : tensor<2xi64>
  }
}
