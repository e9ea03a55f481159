// RUN: ane-opt %s --ane-place | FileCheck %s

// CHECK: ane.linear {{.*}}#ane.host<"C213", "operand 'weight': 500000, must be held by fp16">
// CHECK: ane.mul {{.*}}#ane.host<"C213", "operand 'y': 1e-06, must be held by fp16">
// CHECK: ane.maximum {{.*}}#ane.host<"C213", "operand 'y': 100000, must be held by fp16">
// CHECK: ane.leaky_relu {{.*}}#ane.host<"C213", "alpha: 70000, must be held by fp16">
// CHECK: ane.mul {{.*}}#ane.host<"C213", "operand 'y': 100000, must be held by fp16">
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
    %weight = ane.const dense<500000.0> : tensor<64x64xf32>
    %tiny = ane.const dense<1.0e-06> : tensor<f32>
    %large = ane.const dense<100000.0> : tensor<f32>
    %0 = ane.linear %x, %weight : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = ane.mul %x, %tiny : tensor<64x64xf32>, tensor<f32>
    %2 = ane.maximum %x, %large : tensor<64x64xf32>, tensor<f32>
    %3 = ane.leaky_relu %x {alpha = 70000.0} : tensor<64x64xf32>
    %4 = ane.mul %x, %large : tensor<64x64xf32>, tensor<f32>
    return %0, %1, %2, %3, %4 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  }
}
