// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-gelu)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // x (0.5 tanh(b (0.0356774 b^2 + 0.797885)) + 0.5), where b is x between -10 and 10.
  // CHECK-LABEL: func.func @exact
  // CHECK: ^bb0(%[[X:.*]]: tensor<4x64xf32>)
  // CHECK-NOT: ane.gelu
  // CHECK: %[[L:.*]] = ane.minimum %[[X]], %{{.*}}
  // CHECK: %[[B:.*]] = ane.maximum %[[L]], %{{.*}}
  // CHECK: %[[Q:.*]] = ane.mul %[[B]], %[[B]]
  // CHECK: %[[T:.*]] = ane.tanh
  // CHECK: %[[R:.*]] = ane.mul %[[X]], %{{.*}}
  // CHECK-NEXT: ane.yield %[[R]]
  // CHECK: } twin {
  // CHECK: ane.gelu %{{.*}} : tensor
  func.func @exact(%in0: tensor<4x64xf32>) -> (tensor<4x64xf32>) {
    %0 = ane.island(%in0) : (tensor<4x64xf32>) -> (tensor<4x64xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x64xf32>):
      %1 = ane.gelu %x : tensor<4x64xf32>
      ane.yield %1 : tensor<4x64xf32>
    }
    return %0 : tensor<4x64xf32>
  }

  // CHECK-LABEL: func.func @tanh
  // CHECK: ane.tanh
  // CHECK: } twin {
  func.func @tanh(%in0: tensor<4x64xf32>) -> (tensor<4x64xf32>) {
    %0 = ane.island(%in0) : (tensor<4x64xf32>) -> (tensor<4x64xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x64xf32>):
      %1 = ane.gelu %x {mode = "TANH_APPROXIMATION"} : tensor<4x64xf32>
      ane.yield %1 : tensor<4x64xf32>
    }
    return %0 : tensor<4x64xf32>
  }

  // CHECK-LABEL: func.func @sigmoid
  // CHECK: engine {
  // CHECK-DAG: dense<2.000000e+01>
  // CHECK-DAG: dense<-2.000000e+01>
  // CHECK: ane.sigmoid
  // CHECK: } twin {
  func.func @sigmoid(%in0: tensor<4x64xf32>) -> (tensor<4x64xf32>) {
    %0 = ane.island(%in0) : (tensor<4x64xf32>) -> (tensor<4x64xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x64xf32>):
      %1 = ane.gelu %x {mode = "SIGMOID_APPROXIMATION"} : tensor<4x64xf32>
      ane.yield %1 : tensor<4x64xf32>
    }
    return %0 : tensor<4x64xf32>
  }
}
