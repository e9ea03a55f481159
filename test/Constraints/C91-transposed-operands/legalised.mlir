// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.transpose
// CHECK-NOT: ane.transpose
// CHECK: ane.matmul {{.*}}transpose_{{[xy]}} = true
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<4x64x64xf32>, %y: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
    %a = ane.exp %x : tensor<4x64x64xf32>
    %b = ane.exp %y : tensor<4x64x64xf32>
    %0 = ane.transpose %a {perm = array<i64: 0, 2, 1>} : (tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
    %1 = ane.transpose %b {perm = array<i64: 0, 2, 1>} : (tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
    %2 = ane.matmul %0, %1 : (tensor<4x64x64xf32>, tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
    %3 = ane.add %2, %0 : tensor<4x64x64xf32>, tensor<4x64x64xf32>
    %4 = ane.add %3, %1 : tensor<4x64x64xf32>, tensor<4x64x64xf32>
    return %4 : tensor<4x64x64xf32>
  }
}
