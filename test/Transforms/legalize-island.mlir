// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-legalize-island)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // All that one op becomes, what is done at the border among it, comes from that op. Constants come from nowhere.
  // CHECK-LABEL: func.func @norm
  // CHECK: engine {
  // CHECK-NOT: ane.const {{.*}}ane.from
  // CHECK: ane.reduce_max {{.*}}ane.from = array<i64: 0>
  // CHECK: ane.sqrt {{.*}}ane.from = array<i64: 0>
  // CHECK: ane.tanh {{.*}}ane.from = array<i64: 1>
  // CHECK: ane.pad {{.*}}ane.from = array<i64: 2>
  // CHECK: } twin {
  // CHECK-NOT: ane.from
  // CHECK-LABEL: func.func @has_body
  func.func @norm(%in: tensor<1x8x64xf32>) -> tensor<1x8x5xf32> {
    %0 = ane.island(%in) : (tensor<1x8x64xf32>) -> tensor<1x8x5xf32> engine {
    } twin {
    ^bb0(%x: tensor<1x8x64xf32>):
      %1 = ane.rms_norm %x : (tensor<1x8x64xf32>) -> tensor<1x8x64xf32>
      %2 = ane.tanh %1 : tensor<1x8x64xf32>
      %3 = ane.slice_by_size %2 {begin = array<i64: 0, 0, 0>, size = array<i64: 1, 8, 5>} : (tensor<1x8x64xf32>) -> tensor<1x8x5xf32>
      ane.yield %3 : tensor<1x8x5xf32>
    }
    return %0 : tensor<1x8x5xf32>
  }

  // A body that exists is legal already.
  // CHECK: engine {
  // CHECK: ane.sigmoid
  // CHECK: } twin {
  func.func @has_body(%x: tensor<64xf32>) -> tensor<64xf32> {
    %0 = ane.island(%x) : (tensor<64xf32>) -> tensor<64xf32> attributes {
        input_layouts = [#ane.layout<expand = [64], perm = [0]>], output_layouts = [#ane.layout<expand = [64], perm = [0]>]} engine {
    ^bb0(%a: tensor<64xf16>):
      %1 = ane.sigmoid %a : tensor<64xf16>
      ane.yield %1 : tensor<64xf16>
    } twin {
    ^bb0(%a: tensor<64xf32>):
      %1 = ane.sigmoid %a : tensor<64xf32>
      ane.yield %1 : tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}
