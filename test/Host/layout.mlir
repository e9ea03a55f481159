// Convolutions keep channels last, and so does what follows them; shapes stay.
// RUN: ane-opt %s --ane-host-layout | FileCheck %s
// What is printed can be read again.
// RUN: ane-opt %s --ane-host-layout | ane-opt | FileCheck %s
// What has its order keeps it: once more is nothing more.
// RUN: ane-opt %s --ane-host-layout > %t.once
// RUN: ane-opt %t.once --ane-host-layout | diff %t.once -

// The input is turned by a copy, the result by another: results of functions are row-major.
// CHECK-LABEL: @image
// CHECK: %[[X:.*]] = ane.identity %{{.*}} {host.copy, host.order = array<i64: 0, 2, 3, 1>}
// CHECK: %[[C:.*]] = ane.conv %[[X]], %{{.*}} {host.order = array<i64: 0, 2, 3, 1>}
// CHECK: %[[R:.*]] = ane.relu %[[C]] {host.order = array<i64: 0, 2, 3, 1>}
// CHECK: %[[P:.*]] = ane.max_pool %[[R]] {host.order = array<i64: 0, 2, 3, 1>
// CHECK: %[[Y:.*]] = ane.identity %[[P]] {host.copy} :
// CHECK: return %[[Y]]
func.func @image(%x: tensor<1x3x8x8xf32>) -> tensor<1x4x3x3xf32> {
  %w = ane.const dense<0.5> : tensor<4x3x3x3xf32>
  %0 = ane.conv %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = ane.relu %0 : tensor<1x4x6x6xf32>
  %2 = ane.max_pool %1 {kernel_sizes = array<i64: 2, 2>, strides = array<i64: 2, 2>, pad_type = "valid"} : (tensor<1x4x6x6xf32>) -> tensor<1x4x3x3xf32>
  return %2 : tensor<1x4x3x3xf32>
}

// A flat view of such an image has no strides: it is copied row-major first.
// CHECK-LABEL: @flat
// CHECK: %[[C:.*]] = ane.conv {{.*}}host.order
// CHECK: %[[R:.*]] = ane.identity %[[C]] {host.copy} :
// CHECK: ane.reshape %[[R]]
func.func @flat(%x: tensor<1x3x8x8xf32>, %y: tensor<1x144xf32>) -> tensor<1x144xf32> {
  %w = ane.const dense<0.5> : tensor<4x3x3x3xf32>
  %0 = ane.conv %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = ane.reshape %0 {shape = array<i64: 1, 144>} : (tensor<1x4x6x6xf32>) -> tensor<1x144xf32>
  %2 = ane.add %1, %y : tensor<1x144xf32>, tensor<1x144xf32>
  return %2 : tensor<1x144xf32>
}

// A kernel writes one result; what is returned twice, or is an argument, is copied.
// CHECK-LABEL: @returned
// CHECK: %[[R:.*]] = ane.relu
// CHECK: %[[A:.*]] = ane.identity %[[R]] {host.copy}
// CHECK: %[[B:.*]] = ane.identity %arg0 {host.copy}
// CHECK: return %[[R]], %[[A]], %[[B]]
func.func @returned(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = ane.relu %x : tensor<4xf32>
  return %0, %0, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
