// RUN: ane-opt %s --ane-verify-legal="only=C80 advice=true" 2>&1 | FileCheck %s

// CHECK-NOT: warning
// CHECK: ane.program

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%s: tensor<1x4x64x4095xf16>, %v: tensor<1x4x4095x64xf16>) -> tensor<1x4x64x64xf16> {
      %p = ane.softmax %s {axis = -1 : i64} : tensor<1x4x64x4095xf16>
      %0 = ane.matmul %p, %v : (tensor<1x4x64x4095xf16>, tensor<1x4x4095x64xf16>) -> tensor<1x4x64x64xf16>
      return %0 : tensor<1x4x64x64xf16>
    }
  }
}
