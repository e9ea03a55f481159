// Several procedures are several functions; each has its own names and constants.
// RUN: ane-translate --ane-to-mil %s | FileCheck %s
// RUN: ane-translate --ane-to-mil %s | ane-translate --mil-to-ane | FileCheck --check-prefix=BACK %s

module attributes {ane.target = #ane.target<chip = "h16g", route = in_memory, os = 15, opset = ios18, strictness = catalog>} {
  ane.program @p attributes {ane.mil_version = "1.3"} {
    // CHECK: program(1.3)
    // CHECK: [buildInfo = dict<string, string>(
    // CHECK: func prefill<ios18>(tensor<fp16, [4]> in_0) {
    // CHECK-NEXT: int32 axis_0 = const()[name = string("axis_0"), val = int32(-1)];
    // CHECK-NEXT: softmax_0 = softmax(axis = axis_0, x = in_0)
    // CHECK-NEXT: } -> (softmax_0);
    // BACK: func.func @prefill(%{{.*}}: tensor<4xf16> {ane.name = "in_0"}) -> tensor<4xf16> attributes {ane.opset = "ios18"}
    func.func @prefill(%x: tensor<4xf16>) -> tensor<4xf16> {
      %0 = ane.softmax %x : tensor<4xf16>
      return %0 : tensor<4xf16>
    }
    // CHECK: func decode<ios17>(tensor<fp16, [4]> in_0) {
    // CHECK-NEXT: int32 axis_0 =
    // BACK: func.func @decode
    func.func @decode(%x: tensor<4xf16>) -> tensor<4xf16> attributes {ane.opset = "ios17"} {
      %0 = ane.softmax %x : tensor<4xf16>
      return %0 : tensor<4xf16>
    }
  }
}
