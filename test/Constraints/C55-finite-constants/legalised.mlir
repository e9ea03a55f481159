// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// What is masked with the finite value is 0 after softmax, as it was.

// CHECK: ane.island
// CHECK: engine {
// CHECK: dense<{{.*}}-3.000000e+04{{.*}}xf16>
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x4xf32>) -> tensor<64x4xf32> {
    %c = ane.const dense<[[0.0, -3.40282347E+38, 0.0, 0xFF800000]]> : tensor<1x4xf32>
    %0 = ane.add %x, %c : tensor<64x4xf32>, tensor<1x4xf32>
    %1 = ane.softmax %0 {axis = -1 : i64} : tensor<64x4xf32>
    return %1 : tensor<64x4xf32>
  }
}
