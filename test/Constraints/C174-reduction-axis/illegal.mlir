// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C174 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.reduce_max' meets C174 reduction-axis on h16 (e5rt, macOS 15): reduces 4 elements into each of 81920
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the long axis is the one that is reduced
// CHECK: note: see 'ane-compile --explain=C174'

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x320x256xf16>) -> tensor<1x1x320x256xf16> {
      %0 = ane.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<1x4x320x256xf16>) -> tensor<1x1x320x256xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x1x320x256xf16>
    }
  }
}
