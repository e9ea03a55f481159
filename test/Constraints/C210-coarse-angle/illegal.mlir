// RUN: ane-opt %s --ane-place | FileCheck %s
// The angles go to the CPU with their cosine.

// CHECK: ane.mul {{.*}}#ane.host<"C211", "makes of inputs what the CPU needs in the model's type">
// CHECK: ane.cos {{.*}}#ane.host<"C210", "operand 'x': computed from inputs, of any size, must be within 8">
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x1xf32>) -> tensor<64x1xf32> {
    %c = ane.const dense<0.5> : tensor<f32>
    %a = ane.mul %x, %c : tensor<64x1xf32>, tensor<f32>
    %0 = ane.cos %a : tensor<64x1xf32>
    return %0 : tensor<64x1xf32>
  }
}
