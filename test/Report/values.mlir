// RUN: ane-compile %s -o %t.anebundle --host=none --quiet --report=%t.json --json
// RUN: FileCheck %s --input-file=%t.json
// RUN: ane-compile %s -o %t.anebundle --host=none --quiet --report | FileCheck %s --check-prefix=TEXT


// Steps on what programs computed: in a program that computes it, in one that takes it from another, and on the CPU. A step on an
// input is looked at in each run, and the sign of an activation is kept. A norm of inputs is listed, one of activations is not.
// CHECK: "values": [
// CHECK-DAG: "node": "in_program",
// CHECK-DAG: "node": "on_cpu",
// CHECK-DAG: "reason": "input"
// CHECK-DAG: "reason": "mean"
// CHECK-NOT: "node": "of_input"
// CHECK-NOT: "node": "of_sign"
// CHECK-NOT: "node": "norm_of_layer"
// TEXT: in_program
func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x1xi32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %w = ane.const dense<0.1> : tensor<64x64xf32>
  %half = ane.const dense<0.5> : tensor<f32>
  %zero = ane.const dense<0.0> : tensor<f32>
  %a = ane.linear %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("layer")
  %p = ane.greater %a, %half : tensor<64x64xf32>, tensor<f32> loc("in_program")
  %0 = ane.select %p, %a, %x : tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32> loc("select")
  %q = ane.greater %x, %half : tensor<64x64xf32>, tensor<f32> loc("of_input")
  %1 = ane.select %q, %a, %x : tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32> loc("select_1")
  %s = ane.greater %a, %zero : tensor<64x64xf32>, tensor<f32> loc("of_sign")
  %2 = ane.select %s, %a, %x : tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32> loc("select_2")
  %3 = ane.reduce_argmax %a {axis = 1 : i64, keep_dims = true} : (tensor<64x64xf32>) -> tensor<64x1xi32> loc("on_cpu")
  %4 = ane.layer_norm %x {axes = array<i64: 1>, epsilon = 1.0e-5 : f64} : (tensor<64x64xf32>) -> tensor<64x64xf32> loc("norm_of_input")
  %5 = ane.layer_norm %a {axes = array<i64: 1>, epsilon = 1.0e-5 : f64} : (tensor<64x64xf32>) -> tensor<64x64xf32> loc("norm_of_layer")
  return %0, %1, %2, %3, %4, %5 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x1xi32>, tensor<64x64xf32>, tensor<64x64xf32>
}
