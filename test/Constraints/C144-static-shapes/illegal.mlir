// RUN: not ane-opt %s 2>&1 | FileCheck %s
// A type of unknown extent cannot be written.

// CHECK: error: 'ane.relu' op operand #0 must be statically shaped tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<1x64x1x?xf16>'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x?xf16>) -> tensor<1x64x1x?xf16> {
      %0 = ane.relu %x : tensor<1x64x1x?xf16>
      return %0 : tensor<1x64x1x?xf16>
    }
  }
}
