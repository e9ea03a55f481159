// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-neighbours)),ane-verify-legal{only=C116})' | FileCheck %s
// NOT COMPARED: because C01 makes sums of every concat before, so that the pass runs by itself here

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.concat {{.*}} -> tensor<44x64xf32>
// CHECK: ane.concat {{.*}} -> tensor<48x64xf32>
// CHECK: twin {
// CHECK: ane.concat

module attributes {ane.target = #ane.target<chip = "h13", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<4x64xf32>) -> tensor<48x64xf32> {
    %0 = ane.exp %x : tensor<4x64xf32>
    %1 = ane.concat %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0 {axis = 0 : i64} : (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<48x64xf32>
    %2 = ane.relu %1 : tensor<48x64xf32>
    return %2 : tensor<48x64xf32>
  }
}
