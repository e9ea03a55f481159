// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-legalize-neighbours)),ane-verify-legal{only=C91})' | FileCheck %s
// NOT COMPARED: because the island is written by hand, with another function as its twin
// By itself: --ane-legalize-layout removes most of such transposes before.

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  // CHECK-LABEL: @flag
  // CHECK: engine {
  // CHECK: %[[X:.*]] = ane.transpose
  // CHECK: ane.matmul %[[X]], %{{.*}} {transpose_y = true}
  // CHECK: twin {
  func.func @flag(%x: tensor<1x4x64x64xf16>, %y: tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> {
    %0 = ane.island(%x, %y) : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> attributes {input_layouts = [#ane.layout<expand = [16384], perm = [0]>, #ane.layout<expand = [16384], perm = [0]>], output_layouts = [#ane.layout<expand = [16384], perm = [0]>]} engine {
    ^bb0(%a: tensor<1x4x64x64xf16>, %b: tensor<1x4x64x64xf16>):
      %1 = ane.transpose %a {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16>
      %2 = ane.transpose %b {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16>
      %3 = ane.matmul %1, %2 : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16>
      ane.yield %3 : tensor<1x4x64x64xf16>
    } twin {
    ^bb0(%a: tensor<1x4x64x64xf16>, %b: tensor<1x4x64x64xf16>):
      ane.yield %a : tensor<1x4x64x64xf16>
    }
    return %0 : tensor<1x4x64x64xf16>
  }

  // CHECK-LABEL: @ones
  // CHECK: engine {
  // CHECK: %[[X:.*]] = ane.transpose
  // CHECK: %[[Y:.*]] = ane.transpose
  // CHECK: %[[ONES:.*]] = ane.const dense<1.000000e+00> : tensor<1x4x64x64xf16>
  // CHECK: %[[XX:.*]] = ane.mul %[[X]], %[[ONES]]
  // CHECK: ane.matmul %[[XX]], %[[Y]]
  // CHECK: twin {
  func.func @ones(%x: tensor<1x64x4x64xf16>, %y: tensor<1x64x4x64xf16>) -> tensor<1x4x64x64xf16> {
    %0 = ane.island(%x, %y) : (tensor<1x64x4x64xf16>, tensor<1x64x4x64xf16>) -> tensor<1x4x64x64xf16> attributes {input_layouts = [#ane.layout<expand = [16384], perm = [0]>, #ane.layout<expand = [16384], perm = [0]>], output_layouts = [#ane.layout<expand = [16384], perm = [0]>]} engine {
    ^bb0(%a: tensor<1x64x4x64xf16>, %b: tensor<1x64x4x64xf16>):
      %1 = ane.transpose %a {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x64x4x64xf16>) -> tensor<1x4x64x64xf16>
      %2 = ane.transpose %b {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x64x4x64xf16>) -> tensor<1x4x64x64xf16>
      %3 = ane.matmul %1, %2 {transpose_y = true} : (tensor<1x4x64x64xf16>, tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16>
      ane.yield %3 : tensor<1x4x64x64xf16>
    } twin {
    ^bb0(%a: tensor<1x64x4x64xf16>, %b: tensor<1x64x4x64xf16>):
      %1 = ane.transpose %a {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x64x4x64xf16>) -> tensor<1x4x64x64xf16>
      ane.yield %1 : tensor<1x4x64x64xf16>
    }
    return %0 : tensor<1x4x64x64xf16>
  }
}
