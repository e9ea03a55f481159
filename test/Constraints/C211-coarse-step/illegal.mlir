// RUN: ane-opt %s --ane-place | FileCheck %s
// What is computed from inputs; a constant that fp16 rounds. What moves inputs for a search on the CPU is there, too, and done twice
// where a program reads it.

// CHECK: ane.mul {{.*}}#ane.host<"C211", "makes of inputs what the CPU needs in the model's type">
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

  // CHECK-LABEL: func.func @moved
  // CHECK: ane.reshape {{.*}}#ane.host<"C211", "makes of inputs what the CPU needs in the model's type">
  // CHECK: ane.reduce_argmax {{.*}}#ane.host<"C23"
  func.func @moved(%x: tensor<8x8x64xf32>) -> tensor<64x1xi32> {
    %a = ane.reshape %x {shape = array<i64: 64, 64>} : (tensor<8x8x64xf32>) -> tensor<64x64xf32>
    %0 = ane.reduce_argmax %a {axis = 1 : i64, keep_dims = true} : (tensor<64x64xf32>) -> tensor<64x1xi32>
    return %0 : tensor<64x1xi32>
  }

  // CHECK-LABEL: func.func @moved_twice
  // CHECK: %[[ENGINE:.*]] = ane.reshape %arg0 {shape
  // CHECK: %[[HOST:.*]] = ane.reshape %arg0 {ane.host = #ane.host<"C211"
  // CHECK: ane.gelu %[[ENGINE]]
  // CHECK: ane.reduce_argmax %[[HOST]]
  func.func @moved_twice(%x: tensor<8x8x64xf32>) -> (tensor<64x64xf32>, tensor<64x1xi32>) {
    %a = ane.reshape %x {shape = array<i64: 64, 64>} : (tensor<8x8x64xf32>) -> tensor<64x64xf32>
    %0 = ane.gelu %a : tensor<64x64xf32>
    %1 = ane.reduce_argmax %a {axis = 1 : i64, keep_dims = true} : (tensor<64x64xf32>) -> tensor<64x1xi32>
    return %0, %1 : tensor<64x64xf32>, tensor<64x1xi32>
  }
}
