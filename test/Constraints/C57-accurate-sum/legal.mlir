// RUN: ane-opt %s --ane-verify-legal="only=C57 advice=true" 2>&1 | FileCheck %s

// CHECK-NOT: warning
// CHECK: ane.program

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x1x64x255xf16>) -> tensor<1x1x64x1xf16> {
      %0 = ane.reduce_sum %x {axes = array<i64: 3>, keep_dims = true} : (tensor<1x1x64x255xf16>) -> tensor<1x1x64x1xf16>
      return %0 : tensor<1x1x64x1xf16>
    }
  }
}
