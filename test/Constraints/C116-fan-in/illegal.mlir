// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C116" 2>&1 | FileCheck %s

// CHECK: error: 'ane.concat' violates C116 fan-in on h13 (e5rt, macOS 15): values joined: 12, limit 11
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-neighbours; joined in groups, then the groups
// CHECK: note: see 'ane-compile --explain=C116'

module attributes {ane.target = #ane.target<chip = "h13", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x1x32xf16>) -> tensor<1x48x1x32xf16> {
      %0 = ane.concat %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x {axis = 1 : i64} : (tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>) -> tensor<1x48x1x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x48x1x32xf16>
    }
  }
}
