// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: engine {
// CHECK: ane.softmax %{{.*}} : tensor<1x4x64x128xf16>
// CHECK: twin {
// CHECK: ane.softmax %{{.*}} : tensor<1x4x64x96xf32>

module attributes {ane.keep = ["C110"], ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x4x64x96xf32>) -> tensor<1x4x64x96xf32> {
    %0 = ane.tanh %x : tensor<1x4x64x96xf32>
    %1 = ane.softmax %0 {axis = -1 : i64} : tensor<1x4x64x96xf32>
    return %1 : tensor<1x4x64x96xf32>
  }
}
