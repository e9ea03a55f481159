// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-pools)))' | FileCheck %s

// A window of 9 columns is one of 8 and one of 2; one of 8 stays.
// CHECK-LABEL: func.func @wide
// CHECK: engine {
// CHECK: ane.max_pool {{.*}}kernel_sizes = array<i64: 9, 8>
// CHECK: ane.max_pool {{.*}}kernel_sizes = array<i64: 1, 2>
// CHECK: twin {
// CHECK: kernel_sizes = array<i64: 9, 9>
// CHECK-LABEL: func.func @fits
// CHECK: engine {
// CHECK-COUNT-1: ane.max_pool
// CHECK-NOT: ane.max_pool
// CHECK: twin {
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @wide(%x: tensor<1x32x20x40xf32>) -> tensor<1x32x20x40xf32> {
    %0 = ane.max_pool %x {kernel_sizes = array<i64: 9, 9>, pad = array<i64: 4, 4, 4, 4>, pad_type = "custom"} : (tensor<1x32x20x40xf32>) -> tensor<1x32x20x40xf32>
    return %0 : tensor<1x32x20x40xf32>
  }
  func.func @fits(%x: tensor<1x32x20x40xf32>) -> tensor<1x32x20x33xf32> {
    %0 = ane.max_pool %x {kernel_sizes = array<i64: 1, 8>, pad = array<i64: 0, 0, 0, 0>, pad_type = "custom"} : (tensor<1x32x20x40xf32>) -> tensor<1x32x20x33xf32>
    return %0 : tensor<1x32x20x33xf32>
  }
}
