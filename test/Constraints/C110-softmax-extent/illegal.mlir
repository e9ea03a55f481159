// RUN: not ane-opt %s --ane-verify-legal="only=C110" 2>&1 | FileCheck %s

// CHECK: error: 'ane.softmax' violates C110 softmax-extent on h15 (in_memory, macOS 15): axis of the softmax: 96, must be a power of two
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-attention; as many elements more as make it one, without weight, unless speed is preferred
// CHECK: note: see 'ane-compile --explain=C110'

module attributes {ane.keep = ["C110"], ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x96xf16>, %y: tensor<1x4x64x64xf16>) -> (tensor<1x4x64x96xf16>, tensor<1x4x64x64xf16>) {
      %0 = ane.softmax %x {axis = -1 : i64} : tensor<1x4x64x96xf16> loc(fused["model.onnx":1:1, "/model/node"])
      %1 = ane.softmax %y {axis = -1 : i64} : tensor<1x4x64x64xf16>
      return %0, %1 : tensor<1x4x64x96xf16>, tensor<1x4x64x64xf16>
    }
  }
}
