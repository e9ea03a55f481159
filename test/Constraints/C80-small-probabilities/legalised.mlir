// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK-DAG: dense<6.400000e+01>
// CHECK-DAG: dense<1.562500e-02>
// CHECK: ane.softmax
// CHECK: ane.reduce_max
// CHECK: ane.real_div
// CHECK: ane.mul
// CHECK: ane.matmul
// CHECK: ane.mul
// CHECK: ane.mul
// CHECK: twin {
// CHECK: ane.softmax
// CHECK-NEXT: ane.matmul

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%s: tensor<4x64x4096xf32>, %v: tensor<4x4096x64xf32>) -> tensor<4x64x64xf32> {
    %a = ane.clip %s {alpha = -8.0 : f64, beta = 8.0 : f64} : tensor<4x64x4096xf32>
    %0 = ane.softmax %a {axis = -1 : i64} : tensor<4x64x4096xf32>
    %1 = ane.matmul %0, %v : (tensor<4x64x4096xf32>, tensor<4x4096x64xf32>) -> tensor<4x64x64xf32>
    return %1 : tensor<4x64x64xf32>
  }
}
