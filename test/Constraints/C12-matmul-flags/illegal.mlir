// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s
// The flags are bool attributes, which the serialiser writes as named constants: nothing else can be written.

// CHECK: 'ane.matmul' op attribute 'transpose_y' failed to satisfy constraint: bool attribute

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x64x64xf16>, %y: tensor<1x64x64x64xf16>) -> tensor<1x64x64x64xf16> {
      %0 = ane.matmul %x, %y {transpose_y = 1 : i64} : (tensor<1x64x64x64xf16>, tensor<1x64x64x64xf16>) -> tensor<1x64x64x64xf16>
      return %0 : tensor<1x64x64x64xf16>
    }
  }
}
