// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.concat {{.*}} -> tensor<44x64xf16>
// CHECK: ane.concat {{.*}} -> tensor<48x64xf16>
// CHECK: twin {
// CHECK: ane.concat

module attributes {ane.target = #ane.target<chip = "h13", route = e5rt, os = 15, opset = ios16, strictness = evidence>} {
  func.func @main(%x: tensor<4x64xf32>) -> tensor<48x64xf32> {
    %0 = ane.exp %x : tensor<4x64xf32>
    %1 = ane.concat %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0 {axis = 0 : i64} : (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<48x64xf32>
    %2 = ane.relu %1 : tensor<48x64xf32>
    return %2 : tensor<48x64xf32>
  }
}
