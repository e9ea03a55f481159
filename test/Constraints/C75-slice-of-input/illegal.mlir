// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.slice_by_index' violates C75 slice-of-input on h16 (in_memory, macOS 15): operand 'x': an argument of the program
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-slices; without strides it is slice_by_size; else the argument is multiplied by 1 first
// CHECK: note: see 'ane-compile --explain=C75'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x128xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.slice_by_index %x {begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 64, 1, 128>, stride = array<i64: 1, 1, 1, 2>} : (tensor<1x64x1x128xf16>) -> tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
