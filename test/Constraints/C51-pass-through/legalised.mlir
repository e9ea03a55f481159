// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-io)),ane-verify-legal{only=C51})' | FileCheck %s
// NOT COMPARED: because islands are formed so that none returns its argument, and the pass runs by itself here

// CHECK: engine {
// CHECK: ^bb0(%[[X:.*]]: tensor<1x6x1x64xf16>)
// CHECK: %[[R:.*]] = ane.relu %[[X]]
// CHECK: %[[COPY:.*]] = ane.mul %[[X]], %{{.*}}
// CHECK: ane.yield %[[R]], %[[COPY]]
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%in: tensor<1x6x1x64xf16>) -> (tensor<1x6x1x64xf16>, tensor<1x6x1x64xf16>) {
    %0:2 = ane.island(%in) : (tensor<1x6x1x64xf16>) -> (tensor<1x6x1x64xf16>, tensor<1x6x1x64xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x6x1x64xf16>):
      %1 = ane.relu %x : tensor<1x6x1x64xf16>
      ane.yield %1, %x : tensor<1x6x1x64xf16>, tensor<1x6x1x64xf16>
    }
    return %0#0, %0#1 : tensor<1x6x1x64xf16>, tensor<1x6x1x64xf16>
  }
}
