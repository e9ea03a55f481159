// RUN: ane-opt %s --ane-place | FileCheck %s
// What is computed from inputs; a constant that fp16 rounds.

// CHECK: ane.mul {{.*}}#ane.host<"C211", "computes from inputs what the CPU needs in the model's type">
// CHECK: ane.greater {{.*}}#ane.host<"C211", "operand 'x': computed from inputs, must be of more bits than fp16 has">
// CHECK: ane.less {{.*}}#ane.host<"C211", "operand 'y': 0.1, must be a number of fp16">
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %c = ane.const dense<0.5> : tensor<f32>
    %d = ane.const dense<0.1> : tensor<f32>
    %a = ane.mul %x, %y : tensor<64x64xf32>, tensor<64x64xf32>
    %0 = ane.greater %a, %c : tensor<64x64xf32>, tensor<f32>
    %1 = ane.select %0, %x, %y : tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>
    %2 = ane.less %x, %d : tensor<64x64xf32>, tensor<f32>
    %3 = ane.select %2, %x, %y : tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>
    return %1, %3 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
