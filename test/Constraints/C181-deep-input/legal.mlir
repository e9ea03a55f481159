// RUN: ane-opt %s --ane-verify-legal="only=C181 advice=true" 2>&1 | FileCheck %s

// CHECK-NOT: warning
// CHECK: ane.program

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x17407x1x32xf16>) -> tensor<1x5120x1x32xf16> {
      %w = ane.const dense<0.5> : tensor<5120x17407x1x1xf16>
      %0 = ane.conv %x, %w : (tensor<1x17407x1x32xf16>, tensor<5120x17407x1x1xf16>) -> tensor<1x5120x1x32xf16>
      return %0 : tensor<1x5120x1x32xf16>
    }
  }
}
