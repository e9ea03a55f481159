// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK-LABEL: func.func @batches
// CHECK: engine {
// CHECK: ane.matmul {{.*}} (tensor<6x4x32x64xf16>, tensor<6x4x64x32xf16>)
// CHECK-NOT: ane.transpose {{.*}} (tensor<{{[0-9]+x[0-9]+x[0-9]+x[0-9]+x[0-9]+x}}
// CHECK: twin {

// All axes of a linear but the last are rows.
// CHECK-LABEL: func.func @rows
// CHECK: engine {
// CHECK-NOT: tensor<{{[0-9]+x[0-9]+x[0-9]+x[0-9]+x[0-9]+x}}
// CHECK: ane.conv
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h17s", route = e5rt, os = 26, opset = ios16, strictness = catalog>} {
  func.func @batches(%x: tensor<2x3x4x32x64xf32>, %y: tensor<2x3x4x64x32xf32>) -> tensor<2x4x3x32x32xf32> {
    %0 = ane.matmul %x, %y : (tensor<2x3x4x32x64xf32>, tensor<2x3x4x64x32xf32>) -> tensor<2x3x4x32x32xf32>
    %1 = ane.transpose %0 {perm = array<i64: 0, 2, 1, 3, 4>} : (tensor<2x3x4x32x32xf32>) -> tensor<2x4x3x32x32xf32>
    return %1 : tensor<2x4x3x32x32xf32>
  }

  func.func @rows(%x: tensor<2x3x4x32x64xf32>) -> tensor<2x3x4x32x32xf32> {
    %w = ane.const dense<0.1> : tensor<32x64xf32>
    %b = ane.const dense<0.5> : tensor<32xf32>
    %0 = ane.linear %x, %w bias %b : (tensor<2x3x4x32x64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<2x3x4x32x32xf32>
    return %0 : tensor<2x3x4x32x32xf32>
  }
}
