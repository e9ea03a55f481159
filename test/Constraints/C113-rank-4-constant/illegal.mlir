// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.add' violates C113 rank-4-constant on h16 (in_memory, macOS 27): operand 'y': a constant [1, 64, 1, 64], must be of rank 3 or less, or [1, C, 1, 1]
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-constants; [1, C, 1, 1] between reshapes, or the CPU; the constant as an input of the program would do
// CHECK: note: see 'ane-compile --explain=C113'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 27, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %c = ane.const dense<0.5> : tensor<1x64x1x64xf16>
      %0 = ane.add %x, %c : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
