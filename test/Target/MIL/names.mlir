// Names are kept where they are valid and free; all others are derived, and are the same in every run.
// RUN: ane-translate --ane-to-mil %s | FileCheck %s

// CHECK: func main<ios16>(tensor<fp16, [4]> x, tensor<fp16, [4]> in_0, tensor<fp16, [4]> _fp16, tensor<fp16, [4]> encoder_layer_0) {
func.func @main(%a: tensor<4xf16> {ane.name = "x"}, %b: tensor<4xf16>, %c: tensor<4xf16> {ane.name = "fp16"}, %d: tensor<4xf16> {ane.name = "encoder/layer.0"}) -> tensor<4xf16> {
  // A derived name steps aside for a given one that comes later.
  // CHECK: add_1 = add(x = x, y = in_0)
  %0 = ane.add %a, %b : tensor<4xf16>, tensor<4xf16>
  // CHECK: x_0 = add(x = add_1, y = _fp16)
  %1 = ane.add %0, %c {ane.name = "x"} : tensor<4xf16>, tensor<4xf16>
  // CHECK: add_0 = add(x = x_0, y = encoder_layer_0)
  %2 = ane.add %1, %d {ane.name = "add_0"} : tensor<4xf16>, tensor<4xf16>
  // So does a parameter.
  // CHECK: axis_0 = relu(x = add_0)
  %3 = ane.relu %2 {ane.name = "axis_0"} : tensor<4xf16>
  // CHECK: softmax(axis = axis_1, x = axis_0)
  %4 = ane.softmax %3 : tensor<4xf16>
  return %4 : tensor<4xf16>
}
