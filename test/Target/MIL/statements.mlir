// One op is one statement; parameters are named constants, one for each type and value.
// RUN: ane-translate --ane-to-mil %s | FileCheck %s

// CHECK:      program(1.0)
// CHECK-NEXT: [buildInfo = dict<tensor<string, []>, tensor<string, []>>({{[{][{]}}"coremlc-version", "3505.4.1"{{[}][}]}})]
// CHECK-NEXT: {
// CHECK-NEXT:     func main<ios16>(tensor<fp16, [1, 8, 1, 32]> a, tensor<fp16, [1, 8, 1, 32]> b) {
module {
  ane.program @p {
    func.func @main(%a: tensor<1x8x1x32xf16> {ane.name = "a"}, %b: tensor<1x8x1x32xf16> {ane.name = "b"})
        -> (tensor<1x16x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>) {
      // CHECK-NEXT: tensor<fp16, []> half = const()[name = tensor<string, []>("half"), val = tensor<fp16, []>(0x1p-1)];
      %half = ane.const {ane.name = "half"} dense<0.5> : tensor<f16>
      // CHECK-NEXT: tensor<fp16, [1, 8, 1, 32]> h = mul(x = a, y = half)[name = tensor<string, []>("h")];
      %h = ane.mul %a, %half {ane.name = "h"} : tensor<1x8x1x32xf16>, tensor<f16>
      // CHECK-NEXT: tensor<int32, []> axis_0 = const()[name = tensor<string, []>("axis_0"), val = tensor<int32, []>(1)];
      // CHECK-NEXT: tensor<fp16, [1, 8, 1, 32]> softmax_0 = softmax(axis = axis_0, x = h)[name = tensor<string, []>("softmax_0")];
      %s = ane.softmax %h {axis = 1 : i64} : tensor<1x8x1x32xf16>
      // A tuple, and a parameter that is there already.
      // CHECK-NEXT: tensor<bool, []> interleave_0 = const()[name = tensor<string, []>("interleave_0"), val = tensor<bool, []>(false)];
      // CHECK-NEXT: tensor<fp16, [1, 16, 1, 32]> y = concat(axis = axis_0, interleave = interleave_0, values = (softmax_0, b))[name = tensor<string, []>("y")];
      %y = ane.concat %s, %b {ane.name = "y", axis = 1 : i64} : (tensor<1x8x1x32xf16>, tensor<1x8x1x32xf16>) -> tensor<1x16x1x32xf16>
      // CHECK-NEXT: tensor<int32, []> num_splits_0 = const()[name = tensor<string, []>("num_splits_0"), val = tensor<int32, []>(2)];
      // CHECK-NEXT: tensor<fp16, [1, 4, 1, 32]> low, tensor<fp16, [1, 4, 1, 32]> high = split(axis = axis_0, num_splits = num_splits_0, x = b)[name = tensor<string, []>("low")];
      %parts:2 = ane.split %b {ane.name = ["low", "high"], axis = 1 : i64, num_splits = 2 : i64} : (tensor<1x8x1x32xf16>) -> (tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>)
      // CHECK-NEXT: } -> (y, low, high);
      return %y, %parts#0, %parts#1 : tensor<1x16x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>
    }
  }
}
