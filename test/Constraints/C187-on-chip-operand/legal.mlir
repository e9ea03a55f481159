// RUN: ane-opt %s --ane-verify-legal="only=C187 advice=true" 2>&1 | FileCheck %s

// CHECK-NOT: warning
// CHECK: ane.program

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x1x1x2360000xf16>) -> tensor<1x64x1x2360000xf16> {
      %w = ane.const dense<0.5> : tensor<64x1x1x1xf16>
      %0 = ane.conv %x, %w : (tensor<1x1x1x2360000xf16>, tensor<64x1x1x1xf16>) -> tensor<1x64x1x2360000xf16>
      return %0 : tensor<1x64x1x2360000xf16>
    }
  }
}
