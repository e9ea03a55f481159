// RUN: ane-opt %s --ane-place | FileCheck %s

// CHECK: ane.linear {{.*}}#ane.host<"C213", "operand 'weight': 500000, must be held by fp16">
// CHECK: ane.mul {{.*}}#ane.host<"C213", "operand 'y': 1e-06, must be held by fp16">
// CHECK: ane.maximum {{.*}}#ane.host<"C213", "operand 'y': 100000, must be held by fp16">
// CHECK: ane.mul {{.*}}#ane.host<"C213", "operand 'y': 1.19209e-06, must be held by fp16">
// CHECK: ane.leaky_relu {{.*}}#ane.host<"C213", "alpha: 70000, must be held by fp16">
// CHECK: ane.mul {{.*}}#ane.host<"C213", "operand 'y': 100000, must be held by fp16">
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
    %weight = ane.const dense<500000.0> : tensor<64x64xf32>
    %tiny = ane.const dense<1.0e-06> : tensor<f32>
    %large = ane.const dense<100000.0> : tensor<f32>
    %0 = ane.linear %x, %weight : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = ane.mul %x, %tiny : tensor<64x64xf32>, tensor<f32>
    %2 = ane.maximum %x, %large : tensor<64x64xf32>, tensor<f32>
    // The largest is 20 * 2^-24, the other is not held.
    %uneven = ane.const dense<[[1.1920928955078125e-06], [2.0e-08]]> : tensor<2x1xf32>
    %rows = ane.reshape %x {shape = array<i64: 2, 2048>} : (tensor<64x64xf32>) -> tensor<2x2048xf32>
    %scaled = ane.mul %rows, %uneven : tensor<2x2048xf32>, tensor<2x1xf32>
    %5 = ane.reshape %scaled {shape = array<i64: 64, 64>} : (tensor<2x2048xf32>) -> tensor<64x64xf32>
    %3 = ane.leaky_relu %x {alpha = 70000.0} : tensor<64x64xf32>
    %4 = ane.mul %x, %large : tensor<64x64xf32>, tensor<f32>
    return %0, %1, %2, %5, %3, %4 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  }
}
