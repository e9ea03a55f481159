// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // The twin is copied under layouts that move nothing, and stays.
  // CHECK-LABEL: func.func @copy
  // CHECK: ane.island
  // CHECK-SAME: input_layouts = [#ane.layout<expand = [256], perm = [0]>, #ane.layout<expand = [64], perm = [0]>]
  // CHECK-SAME: output_layouts = [#ane.layout<expand = [256], perm = [0]>]
  // CHECK-SAME: engine {
  // CHECK: ^bb0(%[[X:.*]]: tensor<4x64xf32>, %[[Y:.*]]: tensor<64xf32>)
  // CHECK: %[[S:.*]] = ane.add %[[X]], %[[Y]]
  // CHECK: ane.yield %[[S]]
  // CHECK: } twin {
  // CHECK: ane.add
  func.func @copy(%in0: tensor<4x64xf32>, %in1: tensor<64xf32>) -> (tensor<4x64xf32>) {
    %0 = ane.island(%in0, %in1) : (tensor<4x64xf32>, tensor<64xf32>) -> (tensor<4x64xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x64xf32>, %y: tensor<64xf32>):
      %1 = ane.add %x, %y : tensor<4x64xf32>, tensor<64xf32>
      ane.yield %1 : tensor<4x64xf32>
    }
    return %0 : tensor<4x64xf32>
  }

  // An engine body that exists is not overwritten.
  // CHECK-LABEL: func.func @has_body
  // CHECK: engine {
  // CHECK: ane.tanh
  // CHECK-NOT: ane.relu
  // CHECK: } twin {
  // CHECK: ane.relu
  func.func @has_body(%x: tensor<64xf32>) -> tensor<64xf32> {
    %0 = ane.island(%x) : (tensor<64xf32>) -> tensor<64xf32> attributes {
        input_layouts = [#ane.layout<expand = [64], perm = [0]>], output_layouts = [#ane.layout<expand = [64], perm = [0]>]} engine {
    ^bb0(%a: tensor<64xf16>):
      %1 = ane.tanh %a : tensor<64xf16>
      ane.yield %1 : tensor<64xf16>
    } twin {
    ^bb0(%a: tensor<64xf32>):
      %1 = ane.relu %a : tensor<64xf32>
      ane.yield %1 : tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}
