// RUN: ane-opt %s --ane-place | FileCheck %s

// CHECK: ane.log {{.*}}#ane.host<"C212", "operand 'x': may be as small as 0, must be at least 7.7e-06">
// CHECK: ane.acosh {{.*}}#ane.host<"C212", "operand 0: may be as small as -inf, must be at least 1">
// CHECK: ane.reduce_log_sum {{.*}}#ane.host<"C212", "operand 'x': may be as small as -inf, must be at least 7.7e-06">
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x1xf32>) {
    %a = ane.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %s = ane.sigmoid %a : tensor<64x64xf32>
    %0 = ane.log %s {epsilon = 0.0} : tensor<64x64xf32>
    %h = ane.acosh %a : tensor<64x64xf32>
    %1 = ane.reduce_log_sum %a {axes = array<i64: 1>, keep_dims = true} : (tensor<64x64xf32>) -> tensor<64x1xf32>
    return %0, %h, %1 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x1xf32>
  }
}
